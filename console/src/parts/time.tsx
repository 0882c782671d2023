import { timeText } from "./time-text.ts";

/** A time, in the reader's own zone; the exact one on demand. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {timeText(at)}
    </time>
  );
}
