import { Trans } from "@lingui/react";
import type { Review } from "earnest-client";
import type { ReactNode } from "react";
import { showHidden } from "../../../protocol/json/text.ts";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import { Address } from "../parts/address.tsx";
import { Time } from "../parts/time.tsx";
import { UserProse, UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";
import { ratingText } from "./review-words.ts";

/** A public review. Its text is untrusted and shown as plain text. */
export function ReviewCard({ review, children }: { review: Review; children?: ReactNode }) {
  const { rating, text, answer, erc8004, edited_at, withdrawn_at } = review;
  return (
    <article aria-label={i18n.t("Review of {service}", { service: showHidden(review.service.title) })}>
      <p>
        {rating === null ? (
          withdrawn_at ? (
            i18n.t("Withdrawn by the buyer")
          ) : (
            i18n.t("Hidden by the operators")
          )
        ) : (
          <strong>
            <span aria-hidden>{`${"★".repeat(rating)}${"☆".repeat(5 - rating)} `}</span>
            {ratingText(rating)}
          </strong>
        )}
        {" · "}
        <UserText>{review.service.title}</UserText>
        {" · "}
        <Time at={review.created_at} />
        {withdrawn_at === null && edited_at && (
          <>
            {" · "}
            <Trans id="edited {time}" values={{ time: <Time at={edited_at} /> }} />
          </>
        )}
      </p>
      {!review.settled && (
        <p className="note">
          {i18n.t("A blockchain reorganisation reversed the order's settlement: this review does not count.")}
        </p>
      )}
      {review.marked && (
        <p className="note">
          {i18n.t("Reported by {count, plural, one {# buyer} other {# buyers}}. Read with care.", {
            count: review.reports,
          })}
        </p>
      )}
      {review.disputed_by_provider && <p className="note">{i18n.t("Disputed by the provider.")}</p>}
      {text && <UserProse>{text}</UserProse>}
      {answer && (
        <>
          <p className="quiet">
            {i18n.t("The provider answered")} · <Time at={answer.at} />
          </p>
          <UserProse>{answer.text}</UserProse>
        </>
      )}
      {erc8004 && (
        <p className="quiet">
          <Trans
            id="On-chain feedback: {value}, from {address}"
            values={{
              value: formatAmount(BigInt(erc8004.value), erc8004.value_decimals),
              address: <Address of={erc8004.client_address} />,
            }}
          />
          {erc8004.revoked && ` ${i18n.t("Revoked")}`}
        </p>
      )}
      {children}
    </article>
  );
}
