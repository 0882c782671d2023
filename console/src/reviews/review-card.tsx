import type { Review } from "earnest-client";
import type { ReactNode } from "react";
import { Address } from "../parts/address.tsx";
import { Time } from "../parts/time.tsx";
import { UserProse, UserText } from "../parts/user-text.tsx";
import { ratingText } from "./review-words.ts";

/** A review as everybody sees it: its words are a stranger's, shown as plain text. */
export function ReviewCard({ review, children }: { review: Review; children?: ReactNode }) {
  const { rating, text, answer, erc8004, edited_at, withdrawn_at } = review;
  return (
    <article aria-label={`Review of ${review.service.title}`}>
      <p>
        {rating === null ? "Withdrawn by its buyer" : <strong>{ratingText(rating)}</strong>}
        {", for "}
        <UserText>{review.service.title}</UserText>
        {", "}
        <Time at={review.created_at} />
        {withdrawn_at === null && edited_at && (
          <>
            {", changed "}
            <Time at={edited_at} />
          </>
        )}
      </p>
      {!review.settled && (
        <p className="note">The chain took the order's settlement back: it does not count.</p>
      )}
      {review.marked && (
        <p className="note">{`Reported by ${review.reports} accounts that buy here. Read it with care.`}</p>
      )}
      {review.disputed_by_provider && <p className="note">The provider says that it is wrong.</p>}
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
          {`On the chain: ${erc8004.value} with ${erc8004.value_decimals} decimals${erc8004.revoked ? ", taken back" : ""}, given by `}
          <Address of={erc8004.client_address} />
        </p>
      )}
      {children}
    </article>
  );
}
