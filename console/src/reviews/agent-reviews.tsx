import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { LongList } from "../parts/long-list.tsx";
import { ReportButton } from "../reports/report-button.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { ReviewCard } from "./review-card.tsx";
import { agentReviewsQuery, renewReviews } from "./review-queries.ts";
import { Answer } from "./review-responses.tsx";
import { summaryText } from "./review-words.ts";

/** The reviews of an agent. Its owner can answer them. */
export function AgentReviews({ agent, isOwn = false }: { agent: string; isOwn?: boolean }) {
  const reviews = useInfiniteQuery(agentReviewsQuery(useClient(), agent));
  const queries = useQueryClient();
  return (
    <section aria-labelledby="reviews">
      <h2 id="reviews">{i18n.t("Reviews")}</h2>
      <LongList
        label={i18n.t("Reviews")}
        listClass="cards"
        rowHeight={160}
        query={reviews}
        counted={(_, { summary }) => summaryText(summary)}
      >
        {(review) => (
          <ReviewCard review={review}>
            {isOwn && <Answer review={review} />}
            {!review.withdrawn_at && !(isOwn && review.disputed_by_provider) && (
              <ReportButton kind="review" id={review.id} onReported={() => renewReviews(queries, review)} />
            )}
          </ReviewCard>
        )}
      </LongList>
    </section>
  );
}
