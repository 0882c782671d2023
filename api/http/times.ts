const day = 86_400_000;
const two = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));
const three = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, "0"));

/** The beginnings of days, as in `2026-11-21T`: the times of a list lie in few of them. */
const dates = new Map<number, string>();
const datesKept = 1000;

/**
 * A time as `Date.prototype.toISOString` writes it (RFC 3339, with milliseconds), in a quarter of its time: that was a sixth of
 * the processor time of a page of orders.
 *
 * @throws RangeError for an invalid date
 */
export function writeTime(time: Date): string {
  const ms = time.getTime();
  const days = Math.floor(ms / day);
  const rest = ms - days * day;
  const seconds = Math.floor(rest / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const [h, m, s] = [two[hours], two[minutes - hours * 60], two[seconds - minutes * 60]];
  return `${dates.get(days) ?? keepDate(days)}${h}:${m}:${s}.${three[rest - seconds * 1000]}Z`;
}

function keepDate(days: number): string {
  const text = new Date(days * day).toISOString();
  const date = text.slice(0, text.indexOf("T") + 1);
  if (dates.size >= datesKept) dates.clear();
  dates.set(days, date);
  return date;
}
