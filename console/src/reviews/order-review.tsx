import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Order, Review } from "earnest-client";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.ts";
import { ReportButton } from "../reports/report-button.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { ReviewCard } from "./review-card.tsx";
import { orderReviewQuery, renewReviews } from "./review-queries.ts";
import { Answer } from "./review-responses.tsx";
import { type Rating, ratingChoices } from "./review-words.ts";

/** The review of an order. The buyer writes, edits and withdraws it; the provider answers. */
export function OrderReviewSection({ order, isArbiter }: { order: Order; isArbiter: boolean }) {
  const queries = useQueryClient();
  const isSettled = order.status === "released" || order.status === "refunded";
  const reviewQuery = useQuery({ ...orderReviewQuery(useClient(), order.id), enabled: !isArbiter });
  if (isArbiter || (!isSettled && !reviewQuery.data?.review)) return null;
  return (
    <section className="card" aria-labelledby="review">
      <h2 id="review">{i18n.t("Review")}</h2>
      <Loaded query={reviewQuery}>
        {({ your_role: role, review, editable_until: until }) => {
          if (!review) {
            return role === "buyer" ? (
              <ReviewForm key="new" orderId={order.id} />
            ) : (
              <p className="quiet">{i18n.t("The buyer has not reviewed this order.")}</p>
            );
          }
          const isEditable = role === "buyer" && until !== null && Date.parse(until) > Date.now();
          return (
            <ReviewCard review={review}>
              {isEditable && (
                <details key={review.edited_at}>
                  <summary>{i18n.t("Edit review")}</summary>
                  <ReviewForm orderId={order.id} review={review} />
                </details>
              )}
              {role === "buyer" && !review.withdrawn_at && <Withdrawal orderId={order.id} review={review} />}
              {role === "provider" && <Answer review={review} />}
              {role === "provider" && !review.withdrawn_at && !review.disputed_by_provider && (
                <ReportButton kind="review" id={review.id} onReported={() => renewReviews(queries, review)} />
              )}
            </ReviewCard>
          );
        }}
      </Loaded>
    </section>
  );
}

function ReviewForm({ orderId, review }: { orderId: string; review?: Review }) {
  const client = useClient();
  const queries = useQueryClient();
  const [rating, setRating] = useState<Rating>(String(review?.rating ?? 5) as Rating);
  const [text, setText] = useState(review?.text ?? "");
  const saving = useMutation({
    mutationFn: async () => {
      const opinion = { rating: Number(rating), text: text.trim() || null };
      return review ? client.reviews.edit(orderId, opinion) : client.reviews.write(orderId, opinion);
    },
    onSuccess: (saved) => {
      announce(review ? i18n.t("Review updated.") : i18n.t("Review published."));
      renewReviews(queries, saved);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <ChoiceField label={i18n.t("Rating")} value={rating} onChange={setRating} choices={ratingChoices()} />
      <TextField
        label={i18n.t("Your review")}
        help={i18n.t(
          "Public, together with the order's escrow, which shows your wallet address. You can edit it for 14 days.",
        )}
        value={text}
        onChange={setText}
        isLong
        most={longest.review}
      />
      {saving.error && <ProblemNote error={saving.error} />}
      <div className="buttons">
        <Button type="submit" variant={review ? "secondary" : "primary"} isPending={saving.isPending}>
          {review ? i18n.t("Save changes") : i18n.t("Publish review")}
        </Button>
      </div>
    </form>
  );
}

function Withdrawal({ orderId, review }: { orderId: string; review: Review }) {
  const client = useClient();
  const queries = useQueryClient();
  const withdrawing = useMutation({
    mutationFn: async () => client.reviews.withdraw(orderId),
    onSuccess: () => renewReviews(queries, review),
  });
  return (
    <ConfirmButton
      label={i18n.t("Withdraw")}
      confirmLabel={i18n.t("Withdraw permanently")}
      of={i18n.t("the review")}
      isPending={withdrawing.isPending}
      error={withdrawing.error}
      onPress={() => withdrawing.mutate()}
    />
  );
}
