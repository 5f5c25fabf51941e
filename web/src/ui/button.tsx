// Buttons. None ever submits by itself: a form names its own with `type`.

import type { ComponentProps } from "react";

const LOOKS = {
  go: "border-transparent bg-go text-go-ink hover:bg-go-hover",
  stop: "border-stop-line bg-card text-stop hover:bg-stop-soft",
  plain: "border-line bg-card text-ink hover:bg-sunk",
  quiet: "border-transparent bg-transparent text-soft hover:bg-sunk hover:text-ink",
};

export type Look = keyof typeof LOOKS;

type Props = ComponentProps<"button"> & { look?: Look };

export function Button({ look = "plain", className = "", ...rest }: Props) {
  return <button type="button" {...rest} className={`${buttonLook(look)} ${className}`} />;
}

/** For links that look like buttons. */
export function buttonLook(look: Look): string {
  return `inline-flex min-h-11 items-center justify-center gap-2 rounded-lg border px-4 text-sm font-semibold transition-colors aria-busy:opacity-60 ${LOOKS[look]}`;
}
