// Keys that do something wherever the focus is, but not while somebody types.

import { useEffect, useRef } from "react";

export type Keys = Record<string, (event: KeyboardEvent) => void>;

/** Calls `keys[key]` when that key is pressed once. A key that is held down counts once, and none counts below a dialog. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat || isForAField(event) || isBelowDialog()) return;
      if (!Object.hasOwn(latest.current, event.key)) return;
      latest.current[event.key]?.(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

function isForAField({ target, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || isComposing) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) {
    return true;
  }
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button", "submit"].includes(target.type);
}

function isBelowDialog(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

/** Presses the button that stands for `key` in `place`, if there is one and it can be pressed. */
export function pressButton(place: ParentNode | null, key: string): void {
  const button = place?.querySelector<HTMLButtonElement>(`button[data-key="${key}"]`);
  if (button && !button.disabled) button.click();
}
