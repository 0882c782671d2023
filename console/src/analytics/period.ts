import { queryOptions } from "@tanstack/react-query";
import type { Earnest } from "earnest-client";
import { i18n } from "../text/i18n.ts";

/** The choices in the page's URL. Days are of UTC, as in `2026-11-28`. */
export type AnalyticsSearch = { days?: string; since?: string; until?: string; agent?: string };

/** The lengths of the fixed periods, in days, and the one without a choice. */
export const fixedDays = ["7", "30", "90"] as const;
export const usualDays = "30";
export const customPeriod = "custom";

/** The most days that the service answers at once. */
const mostDays = 366;
const dayMs = 86_400_000;

/** The first and the last day of a period. */
export type Days = { since: string; until: string };

/** Returns the days of a search, or the sentence that says why the period has none. */
export function daysOf({ days = usualDays, since, until }: AnalyticsSearch): Days | string {
  const today = dayAt(Date.now());
  if (days !== customPeriod) return lastDays(fixedDays.some((each) => each === days) ? Number(days) : 30);
  const [first, last] = [since ?? lastDays(Number(usualDays)).since, until ?? today];
  const count = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
  if (count < 1) return i18n.t("Choose a start before the end.");
  if (!(count <= mostDays)) return i18n.t("Choose at most {mostDays} days.", { mostDays });
  return { since: first, until: last };
}

/** Returns the last days, today included. */
export function lastDays(count: number): Days {
  const now = Date.now();
  return { since: dayAt(now - (count - 1) * dayMs), until: dayAt(now) };
}

/** Returns every day of a period, oldest first. */
export function everyDay({ since, until }: Days): string[] {
  const count = (Date.parse(until) - Date.parse(since)) / dayMs + 1;
  return Array.from({ length: count }, (_, at) => dayAt(Date.parse(since) + at * dayMs));
}

const dayAt = (time: number): string => new Date(time).toISOString().slice(0, 10);

export const analyticsQuery = (client: Earnest, days: Days, agent: string | undefined) =>
  queryOptions({
    queryKey: ["analytics", days, agent ?? null],
    queryFn: () => client.analytics.get({ ...days, ...(agent ? { agent } : {}) }),
    refetchInterval: 60_000,
  });
