// A sentence of the catalogue with something in it that is more than text.

import { Fragment, type ReactNode } from "react";

export function Say({ text, values }: { text: string; values: Record<string, ReactNode> }) {
  const parts = text.split(/\{(\w+)\}/);
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one template never change places
    <Fragment key={index}>{index % 2 === 1 ? values[part] : part}</Fragment>
  ));
}
