import { locale } from "../text/language.ts";

const dateOf = (time: string | number | bigint): Date =>
  typeof time === "string" ? new Date(time) : new Date(Number(time) * 1000);

/**
 * Formats a time in the reader's locale and time zone, such as `28 Nov 2026, 14:05`.
 *
 * @param time RFC 3339, or seconds since 1970
 */
export const timeText = (time: string | number | bigint): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(dateOf(time));

/** Formats a month of UTC, such as `2026-11`, in the reader's locale: `Nov 2026`. */
export const monthText = (month: string): string =>
  new Intl.DateTimeFormat(locale(), { month: "short", year: "numeric", timeZone: "UTC" }).format(
    dateOf(`${month}-01`),
  );

/** Formats a day of UTC, such as `2026-11-28`, in the reader's locale: `28 Nov`. */
export const utcDayText = (day: string): string =>
  new Intl.DateTimeFormat(locale(), { day: "numeric", month: "short", timeZone: "UTC" }).format(dateOf(day));

/** The units of a relative time, with their seconds. */
const relativeUnits = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Formats a time by its distance from now, such as `in 3 days` or `2 hours ago`. */
export function relativeText(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: "auto" });
  for (const [unit, size] of relativeUnits) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  }
  return format.format(Math.trunc(seconds), "second");
}

/** Formats seconds with at most two units, such as `3 days` or `1 hour 30 minutes`. */
export function durationText(seconds: number): string {
  const parts: string[] = [];
  let rest = Math.max(60, Math.floor(seconds));
  for (const [unit, size] of relativeUnits) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 && parts.length < 2) {
      const format = new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: "long" });
      parts.push(format.format(count));
    }
  }
  return parts.join(" ");
}
