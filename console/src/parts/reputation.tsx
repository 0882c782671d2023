import { Link } from "@tanstack/react-router";
import type { Repute } from "earnest-client";

/** What is known of earlier work, in a line's few words; nothing where nothing is. */
export function ReputationMarks({ of: { score, orders, on_time: onTime, rating, reviews } }: { of: Repute }) {
  return (
    <>
      {score && (
        <>
          {" · "}
          <span title={scoreText(score)}>{`score ${score.value} by ${ordersText(orders)}`}</span>
        </>
      )}
      {onTime !== null && ` · ${onTime} % on time`}
      {rating !== null && ` · ★ ${rating} by ${reviews}`}
    </>
  );
}

/** The same where there is room: each figure with what it rests on, and where the rule stands. */
export function ReputationFacts({ of: { score, orders, on_time: onTime, rating, reviews } }: { of: Repute }) {
  return (
    <ul>
      <li>{score ? scoreText(score) : "No score: nothing that was settled counts yet."}</li>
      {orders > 0 && (
        <li>
          {`${ordersText(orders)} settled between parties at arm's length`}
          {onTime !== null && `, ${onTime} % delivered on time`}
        </li>
      )}
      {rating !== null && (
        <li>{`${rating} of 5 by ${reviews} ${reviews === 1 ? "review" : "reviews"}, which are no part of the score`}</li>
      )}
      <li>
        <Link to="/reputation">How a score is made</Link>, and how anybody computes it again
      </li>
    </ul>
  );
}

const ordersText = (orders: number): string => `${orders} ${orders === 1 ? "order" : "orders"}`;

const scoreText = ({ value, upper, evidence }: NonNullable<Repute["score"]>): string =>
  `Score ${value} of 1000, and at most ${upper}: it rests on the weight of ${evidence / 1000} full orders.`;
