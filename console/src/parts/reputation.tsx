import type { ReputationFigures } from "earnest-client";
import { i18n } from "../text/i18n.ts";

/** Reputation figures in one line, as far as there are any. */
export function ReputationMarks({
  of: { score, on_time: onTime, rating, reviews },
}: {
  of: ReputationFigures;
}) {
  return (
    <>
      {score && (
        <>
          {" · "}
          <span title={scoreText(score)}>
            {isLow(score)
              ? i18n.t("score {score} (low evidence)", { score: score.value })
              : i18n.t("score {score}", { score: score.value })}
          </span>
        </>
      )}
      {onTime !== null && ` · ${i18n.t("{onTime}% on time", { onTime })}`}
      {rating !== null && ` · ★ ${rating} (${reviews})`}
    </>
  );
}

/** Reputation figures as a list, each with its evidence. */
export function ReputationDetails({
  of: { score, orders, on_time: onTime, rating, reviews },
}: {
  of: ReputationFigures;
}) {
  return (
    <ul>
      <li>{score ? scoreText(score) : i18n.t("No score yet.")}</li>
      {orders > 0 && (
        <li>
          {i18n.t("{orders, plural, one {# order} other {# orders}} completed with unrelated buyers", {
            orders,
          })}
          {onTime !== null && `, ${i18n.t("{onTime}% on time", { onTime })}`}
        </li>
      )}
      {rating !== null && (
        <li>
          {i18n.t(
            "Rated {rating} of 5 in {reviews, plural, one {# review} other {# reviews}}, which do not affect the score",
            { rating, reviews },
          )}
        </li>
      )}
    </ul>
  );
}

type Score = NonNullable<ReputationFigures["score"]>;

/** The evidence below which a score says little, in thousandths of a full order. */
const lowEvidence = 3_000;
const isLow = ({ evidence }: Score): boolean => evidence < lowEvidence;

function scoreText(score: Score): string {
  const range = { score: score.value, upper: score.upper };
  if (isLow(score)) {
    return i18n.t("Score {score} (range {score}–{upper}). Too few orders to judge yet.", range);
  }
  return i18n.t("Score {score} (range {score}–{upper}). Evidence: {evidence, number} full orders.", {
    ...range,
    evidence: score.evidence / 1000,
  });
}
