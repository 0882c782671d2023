import type { ReviewSummary } from "earnest-client";
import { i18n } from "../text/i18n.ts";

/** A rating as the value of a field. */
export type Rating = "1" | "2" | "3" | "4" | "5";

/** The ratings with their labels, best first. */
export const ratingChoices = (): [Rating, string][] => [
  ["5", i18n.t("5, very good")],
  ["4", i18n.t("4, good")],
  ["3", i18n.t("3, fair")],
  ["2", i18n.t("2, poor")],
  ["1", i18n.t("1, very poor")],
];

export const ratingText = (rating: number | string): string => i18n.t("{rating} of 5", { rating });

/** Summarises all reviews of an agent in a sentence. */
export function summaryText({
  count,
  average,
  distribution,
  marked,
  withdrawn,
  hidden,
}: ReviewSummary): string {
  if (average === null)
    return withdrawn + hidden === 0 ? i18n.t("No reviews yet.") : i18n.t("No counted reviews.");
  const more = [
    marked > 0 ? i18n.t("{count} marked", { count: marked }) : "",
    withdrawn > 0 ? i18n.t("{count} withdrawn", { count: withdrawn }) : "",
    hidden > 0 ? i18n.t("{count} hidden", { count: hidden }) : "",
  ];
  const each = distribution.map((of, at) => `${of} × ${at + 1}`).reverse();
  const rated = i18n.t("{average} of 5 ({count, plural, one {# review} other {# reviews}})", {
    average,
    count,
  });
  return `${rated}: ${[each.join(", "), ...more.filter(Boolean)].join("; ")}.`;
}
