import { Link } from "@tanstack/react-router";
import type { Repute } from "earnest-client";

/** Reputation figures in one line, as far as there are any. */
export function ReputationMarks({ of: { score, on_time: onTime, rating, reviews } }: { of: Repute }) {
  return (
    <>
      {score && (
        <>
          {" · "}
          <span
            title={scoreText(score)}
          >{`score ${score.value}${isLow(score) ? " (low evidence)" : ""}`}</span>
        </>
      )}
      {onTime !== null && ` · ${onTime}% on time`}
      {rating !== null && ` · ★ ${rating} (${reviews})`}
    </>
  );
}

/** Reputation figures as a list, each with its evidence. */
export function ReputationFacts({ of: { score, orders, on_time: onTime, rating, reviews } }: { of: Repute }) {
  return (
    <ul>
      <li>{score ? scoreText(score) : "No score yet."}</li>
      {orders > 0 && (
        <li>
          {`${orders} ${orders === 1 ? "order" : "orders"} completed with unrelated buyers`}
          {onTime !== null && `, ${onTime}% on time`}
        </li>
      )}
      {rating !== null && (
        <li>{`Rated ${rating} of 5 in ${reviews} ${reviews === 1 ? "review" : "reviews"}, which do not affect the score`}</li>
      )}
      <li>
        <Link to="/reputation">How scores work</Link>
      </li>
    </ul>
  );
}

type Score = NonNullable<Repute["score"]>;

/** The evidence below which a score says little, in thousandths of a full order. */
const lowEvidence = 3_000;
const isLow = ({ evidence }: Score): boolean => evidence < lowEvidence;

const scoreText = (score: Score): string =>
  `Score ${score.value} (range ${score.value}–${score.upper}).${isLow(score) ? " Too few orders to judge yet." : ` Evidence: ${score.evidence / 1000} full orders.`}`;
