// What all ways to answer share. A button that decides is one that somebody has to aim at: it never has the focus by
// itself, does not take a key that is held down, and takes nothing at all in the first moments, when a click may have been
// meant for what stood there before.

import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { Interaction, Problem } from "@/api/client";
import { say } from "@/messages";
import { Button, type Look } from "@/ui/button";
import { fieldLook } from "./form-label";
import type { Decision, Given } from "./respond";

export type Answering = {
  busy: boolean;
  /** Whether what is on screen has been there long enough to be meant. */
  settled: boolean;
  /** Whether everything that an approval is about has been on screen, where it must have been. */
  shown: boolean;
  /** What is on its way to the server. */
  sent: Decision | undefined;
  problem: Problem | null;
  /** Whether whoever looks has approved already, where several must. */
  already: boolean;
  decide: (given: Given) => void;
};

export type WayProps = { interaction: Interaction; answering: Answering };

const SETTLING = 600;

/** Whether all that there is has been on screen for a while: what comes late pushes the buttons away from under a finger. */
export function useSettled(whole: "whole" | "partly"): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    if (whole === "partly") return;
    const timer = setTimeout(() => setSettled(true), SETTLING);
    return () => clearTimeout(timer);
  }, [whole]);
  return settled;
}

type DecideProps = {
  answering: Answering;
  given: Given;
  look: Look;
  /** What it says while the answer is on its way. */
  busy?: string;
  className?: string;
  "aria-describedby"?: string | undefined;
  /** The key that presses it. */
  "data-key"?: string;
  disabled?: boolean;
  children: ReactNode;
};

/** Decides with one press. */
export function Decide(props: DecideProps) {
  const { answering, given, look, busy, className = "", disabled = false, children, ...rest } = props;
  const sent = answering.sent === given.decision;
  return (
    <Button
      {...rest}
      look={look}
      className={`min-w-32 ${className}`}
      disabled={disabled || !answering.settled || answering.busy}
      aria-busy={sent}
      onKeyDown={(event) => event.repeat && event.preventDefault()}
      onClick={() => answering.decide(given)}
    >
      {sent ? (busy ?? say.answer.sending) : children}
    </Button>
  );
}

/** One thing that opens in place of the buttons, and the way back to the button that opened it. */
export function useOpened<Name extends string>() {
  const [opened, setOpened] = useState<Name>();
  const buttons = useRef(new Map<Name, HTMLButtonElement | null>());
  const back = () => {
    const name = opened;
    setOpened(undefined);
    if (name !== undefined) requestAnimationFrame(() => buttons.current.get(name)?.focus());
  };
  const opener = (name: Name) => ({
    ref: (button: HTMLButtonElement | null) => {
      buttons.current.set(name, button);
    },
    onClick: () => setOpened(name),
  });
  return { opened, opener, back };
}

type WordsFormProps = {
  busy: boolean;
  label: string;
  about: string;
  placeholder?: string;
  button: string;
  busyButton: string;
  look: Look;
  /** Why these words cannot be sent. */
  wrong?: (words: string) => string | undefined;
  rows?: number;
  /** What stands there at first. */
  initial?: string;
  /** Whether it is code. */
  mono?: boolean;
  /** What one may start from. */
  start?: { text: string; label: string };
  onBack: () => void;
  onSend: (words: string) => void;
};

/** Words, and a button that sends them with a decision. */
export function WordsForm(props: WordsFormProps) {
  const { busy, label, about, placeholder, button, busyButton, look, wrong, rows = 2, start, onBack, onSend } = props;
  const [words, setWords] = useState(props.initial ?? "");
  const [tried, setTried] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const misfit = tried ? wrong?.(words) : undefined;
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setTried(true);
    if (wrong?.(words) === undefined) onSend(words);
    else field.current?.focus();
  };
  return (
    <form onSubmit={submit} onKeyDown={(event) => onEscape(event, onBack)} noValidate className="space-y-3">
      <div>
        <div className="flex flex-wrap items-baseline justify-between gap-x-3">
          <label htmlFor={id} className="text-sm font-semibold">
            {label}
          </label>
          {start && (
            <button
              type="button"
              className="min-h-8 text-xs font-medium text-accent underline underline-offset-4"
              onClick={() => setWords(start.text)}
            >
              {start.label}
            </button>
          )}
        </div>
        <p id={`${id}-about`} className="text-xs text-soft">
          {about}
        </p>
        <textarea
          id={id}
          ref={field}
          aria-describedby={misfit === undefined ? `${id}-about` : `${id}-about ${id}-wrong`}
          aria-invalid={misfit !== undefined}
          rows={rows}
          value={words}
          placeholder={placeholder}
          onChange={(event) => setWords(event.target.value)}
          spellCheck={!props.mono}
          className={`${fieldLook} resize-y ${props.mono ? "font-mono text-sm" : ""}`}
        />
        {misfit !== undefined && (
          <p id={`${id}-wrong`} className="mt-1.5 text-sm font-medium text-stop">
            {misfit}
          </p>
        )}
      </div>
      <div className="flex gap-3">
        <Button type="submit" look={look} className="flex-1 sm:flex-none" disabled={busy} aria-busy={busy}>
          {busy ? busyButton : button}
        </Button>
        <Button look="quiet" disabled={busy} onClick={onBack}>
          {say.answer.keep}
        </Button>
      </div>
    </form>
  );
}

export function onEscape(event: KeyboardEvent, back: () => void) {
  if (event.key === "Escape") back();
}

/** The longest reason that the server takes is in bytes; this says so before it does. */
export function wrongReason(reason: string): string | undefined {
  return new TextEncoder().encode(reason).length > 10_000 ? say.answer.reasonTooLong : undefined;
}
