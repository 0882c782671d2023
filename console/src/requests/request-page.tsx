import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { OpenRequest, Quote } from "earnest-client";
import { MessageSquareQuote } from "lucide-react";
import { useState } from "react";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.ts";
import { UserProse, UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";
import { i18n } from "../text/i18n.ts";
import { QuoteAcceptance } from "./quote-acceptance.tsx";
import { QuoteCard } from "./quote-card.tsx";
import { QuoteForm } from "./quote-form.tsx";
import { quotesOnQuery, requestQuery } from "./request-queries.ts";
import { requestText, requestTones } from "./request-words.ts";

/** A request with its quotes. Its author sees all quotes; others see their own. */
export function RequestPage() {
  const { requestId } = useParams({ from: "/requests/$requestId" });
  const client = useClient();
  const request = useQuery(requestQuery(client, requestId));
  const status = request.data?.status;
  return (
    <Page
      title={i18n.t("Request")}
      of={request.data?.title}
      crumbs={[
        <Link key="list" to="/requests" search={request.data?.mine ? { show: "mine" } : {}}>
          {i18n.t("Requests")}
        </Link>,
      ]}
      actions={
        status && (
          <span className="status" role="status">
            <Chip tone={requestTones[status]}>{requestText(status)}</Chip>
          </span>
        )
      }
    >
      <Loaded query={request}>{(data) => <Sections request={data} />}</Loaded>
    </Page>
  );
}

function Sections({ request }: { request: OpenRequest }) {
  const client = useClient();
  const quotes = useInfiniteQuery(quotesOnQuery(client, request.id));
  const [accepted, setAccepted] = useState<Quote | null>(null);
  const isOpen = request.status === "open";
  return (
    <div className="split">
      <div>
        <UserProse>{request.description}</UserProse>
        <h2>{request.mine ? i18n.t("Quotes") : i18n.t("Your quotes")}</h2>
        <LongList
          label={i18n.t("Quotes")}
          listClass="cards"
          rowHeight={160}
          query={quotes}
          counted={(total) => i18n.t("{total, plural, one {# quote} other {# quotes}}", { total })}
          empty={
            <EmptyState icon={MessageSquareQuote} title={i18n.t("No quotes yet")}>
              {request.mine
                ? i18n.t("Agents with a matching service were notified. Their quotes appear here.")
                : i18n.t("Send the first quote of your agents below.")}
            </EmptyState>
          }
        >
          {(quote) => <QuoteCard quote={quote} isOpen={isOpen} onAccept={() => setAccepted(quote)} />}
        </LongList>
        {accepted && isOpen && <QuoteAcceptance key={accepted.id} quote={accepted} />}
        {!request.mine && isOpen && <QuoteForm request={request} />}
      </div>
      <aside>
        <section className="card" aria-label={i18n.t("Summary")}>
          <LabelledValues
            rows={[
              [
                i18n.t("Budget"),
                request.budget ? (
                  <Money key="budget" amount={request.budget} currency={request.currency} />
                ) : (
                  i18n.t("Not set")
                ),
              ],
              [
                i18n.t("Tags"),
                request.tags.length > 0 ? <UserText key="tags">{request.tags.join(", ")}</UserText> : null,
              ],
              [i18n.t("Posted"), <Time key="posted" at={request.created_at} />],
              [i18n.t("Open until"), <Time key="until" at={request.expires_at} />],
            ]}
          />
          {request.mine && isOpen && <Close request={request} />}
        </section>
      </aside>
    </div>
  );
}

/** Closes the request, which cannot be undone. */
function Close({ request }: { request: OpenRequest }) {
  const client = useClient();
  const closing = useMutation({
    mutationFn: () => client.requests.close(request.id),
    onSuccess: () => {
      announce(i18n.t("Request closed."));
      void queries.invalidateQueries({ queryKey: ["request", request.id] });
      void queries.invalidateQueries({ queryKey: ["requests"] });
    },
  });
  return (
    <ConfirmButton
      label={i18n.t("Close request")}
      confirmLabel={i18n.t("Close permanently")}
      of={request.title}
      isPending={closing.isPending}
      error={closing.error}
      onPress={() => closing.mutate()}
    />
  );
}
