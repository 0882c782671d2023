import type { Review } from "earnest-client";
import type { ReactNode } from "react";
import { Address } from "../parts/address.tsx";
import { Time } from "../parts/time.tsx";
import { UserProse, UserText } from "../parts/user-text.tsx";
import { ratingText } from "./review-words.ts";

/** A public review. Its text is untrusted and shown as plain text. */
export function ReviewCard({ review, children }: { review: Review; children?: ReactNode }) {
  const { rating, text, answer, erc8004, edited_at, withdrawn_at } = review;
  return (
    <article aria-label={`Review of ${review.service.title}`}>
      <p>
        {rating === null ? "Withdrawn by the buyer" : <strong>{ratingText(rating)}</strong>}
        {", for "}
        <UserText>{review.service.title}</UserText>
        {", "}
        <Time at={review.created_at} />
        {withdrawn_at === null && edited_at && (
          <>
            {", edited "}
            <Time at={edited_at} />
          </>
        )}
      </p>
      {!review.settled && (
        <p className="note">
          A blockchain reorganisation reversed the order's settlement: this review does not count.
        </p>
      )}
      {review.marked && <p className="note">{`Reported by ${review.reports} buyers. Read with care.`}</p>}
      {review.disputed_by_provider && <p className="note">Disputed by the provider.</p>}
      {text && <UserProse>{text}</UserProse>}
      {answer && (
        <>
          <p className="quiet">
            {"The provider answered, "}
            <Time at={answer.at} />
          </p>
          <UserProse>{answer.text}</UserProse>
        </>
      )}
      {erc8004 && (
        <p className="quiet">
          {`On-chain feedback: ${erc8004.value} with ${erc8004.value_decimals} decimals${erc8004.revoked ? ", revoked" : ""}, from `}
          <Address of={erc8004.client_address} />
        </p>
      )}
      {children}
    </article>
  );
}
