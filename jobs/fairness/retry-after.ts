/** Reads a `Retry-After` (RFC 9110, 10.2.3) in milliseconds from `now`; null for any other text. */
export function readRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const value = header.trim();
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  // The text must look like an HTTP date, since Date.parse accepts far more.
  if (!/^[A-Z][a-z]{2,8}, .*GMT$/.test(value)) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : Math.max(0, time - now);
}
