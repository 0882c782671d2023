import { relativeText, timeText } from "./time-text.ts";

/**
 * A time in the reader's locale and time zone.
 *
 * @param isRelative shows the distance from now, such as `in 3 days`; the tooltip has the time
 */
export function Time({ at, isRelative = false }: { at: string; isRelative?: boolean }) {
  return (
    <time dateTime={at} title={isRelative ? timeText(at) : at}>
      {isRelative ? relativeText(at) : timeText(at)}
    </time>
  );
}
