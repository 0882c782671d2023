import type { ReactNode } from "react";

/** The colour of a status: finished well, needs attention, failed, in progress, or none of these. */
export type Tone = "good" | "warn" | "bad" | "info" | "neutral";

/** A status as a coloured chip. The text carries the meaning; the colour only repeats it. */
export function Chip({ tone = "neutral", children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className="chip" data-tone={tone}>
      {children}
    </span>
  );
}
