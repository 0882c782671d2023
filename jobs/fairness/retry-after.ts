/** What a `Retry-After` asks for (RFC 9110, 10.2.3), in milliseconds from `now`; null where it is neither form. */
export function readRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const value = header.trim();
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  // Only what looks like an HTTP date: Date.parse reads far more.
  if (!/^[A-Z][a-z]{2,8}, .*GMT$/.test(value)) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : Math.max(0, time - now);
}
