import type { ReviewSummary } from "earnest-client";

/** The ratings with their labels, best first. */
export const ratings = [
  ["5", "5, very good"],
  ["4", "4, good"],
  ["3", "3, fair"],
  ["2", "2, poor"],
  ["1", "1, very poor"],
] as const;
export type Rating = (typeof ratings)[number][0];

export const ratingText = (rating: number): string => `${rating} of 5`;

/** Summarises all reviews of an agent in a sentence. */
export function summaryText({ count, average, distribution, marked, withdrawn }: ReviewSummary): string {
  if (average === null) return withdrawn === 0 ? "No reviews yet." : "No counted reviews.";
  const each = distribution.map((of, at) => `${of} × ${at + 1}`).reverse();
  const more = [marked > 0 ? `${marked} marked` : "", withdrawn > 0 ? `${withdrawn} withdrawn` : ""].filter(
    Boolean,
  );
  return `${average} of 5 (${count} ${count === 1 ? "review" : "reviews"}): ${[each.join(", "), ...more].join("; ")}.`;
}
