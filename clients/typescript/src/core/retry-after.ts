/** The most seconds that are reported. */
const longest = 366 * 86_400;

const days = "Mon|Tue|Wed|Thu|Fri|Sat|Sun";
const longDays = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday";
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const month = `(?<month>${months.join("|")})`;
const time = "(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d)";

/** The three date forms of RFC 9110, section 5.6.7. The last has no time zone and means UTC. */
const dateForms = [
  `(?:${days}), (?<day>\\d\\d) ${month} (?<year>[1-9]\\d{3}) ${time} GMT`,
  `(?:${longDays}), (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT`,
  `(?:${days}) ${month} (?<day>[ \\d]\\d) ${time} (?<year>[1-9]\\d{3})`,
].map((form) => new RegExp(`^${form}$`));

/**
 * Reads the seconds of the header `Retry-After`, which has a number or a date; null if it is missing or invalid.
 * `Date.parse` accepts more forms, and engines differ in them.
 *
 * @param now in milliseconds
 */
export function readRetryAfter(header: string | null, now: number = Date.now()): number | null {
  if (header === null) return null;
  if (/^\d+(\.\d+)?$/.test(header)) return Math.min(longest, Number(header));
  const date = readHttpDate(header, now);
  return date === null ? null : Math.min(longest, Math.max(0, (date - now) / 1000));
}

/** Parses an HTTP date to milliseconds; null for any other text or a day that does not exist. */
function readHttpDate(text: string, now: number): number | null {
  const parts = dateForms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!parts) return null;
  const day = Number(parts.day);
  const year = fullYear(String(parts.year), new Date(now).getUTCFullYear());
  const at = new Date(
    Date.UTC(
      year,
      months.indexOf(String(parts.month)),
      day,
      Number(parts.hour),
      Number(parts.minute),
      Number(parts.second),
    ),
  );
  return at.getUTCDate() === day ? at.getTime() : null;
}

/** Reads two digits as a year of this century, or of the last if that is more than 50 years ahead. */
function fullYear(digits: string, thisYear: number): number {
  if (digits.length === 4) return Number(digits);
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}
