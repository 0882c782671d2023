/** Tells whether a text is a day that a calendar has, as in `2026-11-28`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

/** Returns the first moment of a day in the reader's time zone, or of a later day, as RFC 3339; undefined for no day. */
export function startOfDay(day = "", daysLater = 0): string | undefined {
  if (!isDay(day)) return undefined;
  const time = new Date(`${day}T00:00:00`);
  time.setDate(time.getDate() + daysLater);
  return time.toISOString();
}
