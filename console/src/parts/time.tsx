import { timeText } from "./time-text.ts";

/** A time in the user's time zone. The tooltip has the exact time. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {timeText(at)}
    </time>
  );
}
