const long = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** Formats a time in the user's time zone. */
export const timeText = (time: string | number | bigint): string =>
  long.format(typeof time === "string" ? new Date(time) : new Date(Number(time) * 1000));

const units: [number, string][] = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
];

/** Formats seconds with at most two units, such as `3 days` or `1 hour 30 minutes`. */
export function durationText(seconds: number): string {
  if (seconds < 60) return "less than a minute";
  const parts: string[] = [];
  let rest = Math.floor(seconds);
  for (const [size, name] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? "" : "s"}`);
  }
  return parts.slice(0, 2).join(" ");
}
