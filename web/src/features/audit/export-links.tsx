// The calls that the filters let through, as a file. The browser fetches it by itself.

import { say } from "@/messages";
import { exportAddress, type Filter } from "./filter";

const FORMATS = ["csv", "json", "jsonl"] as const;

export function ExportLinks({ filter }: { filter: Filter }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-sm">
      <span className="text-soft" title={say.audit.exportText}>
        {say.audit.export}:
      </span>
      {FORMATS.map((format) => (
        <a
          key={format}
          href={exportAddress(filter, format)}
          download={`audit.${format}`}
          className="inline-flex min-h-8 items-center font-medium text-accent underline decoration-1 underline-offset-4"
        >
          {say.audit.formats[format]}
        </a>
      ))}
    </p>
  );
}
