import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { OpenRequest, Quote } from "earnest-client";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Time } from "../parts/time.tsx";
import { UserProse, UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";
import { QuoteAcceptance } from "./quote-acceptance.tsx";
import { QuoteCard } from "./quote-card.tsx";
import { QuoteForm } from "./quote-form.tsx";
import { quotesOnQuery, requestQuery } from "./request-queries.ts";
import { requestWords } from "./request-words.ts";

/** A request with its quotes. Its author sees all quotes; others see their own. */
export function RequestPage() {
  const { requestId } = useParams({ from: "/requests/$requestId" });
  const client = useClient();
  const request = useQuery(requestQuery(client, requestId));
  return (
    <Page title="Request" of={request.data?.title}>
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
    <>
      <p className="status" role="status">
        {requestWords[request.status]}
      </p>
      <UserProse>{request.description}</UserProse>
      <dl className="facts">
        <div>
          <dt>Tags</dt>
          <dd>
            <UserText>{request.tags.join(", ")}</UserText>
          </dd>
        </div>
        {request.budget && (
          <div>
            <dt>Budget</dt>
            <dd>
              <Money amount={request.budget} currency={request.currency} />
            </dd>
          </div>
        )}
        <div>
          <dt>Open until</dt>
          <dd>
            <Time at={request.expires_at} />
          </dd>
        </div>
      </dl>
      {request.mine && isOpen && <Close request={request} />}
      <h2>{request.mine ? "Quotes" : "Your quotes"}</h2>
      <LongList
        label="Quotes"
        listClass="cards"
        rowHeight={160}
        query={quotes}
        counted={(total) => `${total} ${total === 1 ? "quote" : "quotes"}`}
      >
        {(quote) => <QuoteCard quote={quote} isOpen={isOpen} onAccept={() => setAccepted(quote)} />}
      </LongList>
      {accepted && isOpen && <QuoteAcceptance key={accepted.id} quote={accepted} />}
      {!request.mine && isOpen && <QuoteForm request={request} />}
    </>
  );
}

function Close({ request }: { request: OpenRequest }) {
  const client = useClient();
  const closing = useMutation({
    mutationFn: () => client.requests.close(request.id),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["request", request.id] });
      void queries.invalidateQueries({ queryKey: ["requests"] });
    },
  });
  return (
    <>
      {closing.error && <ProblemNote error={closing.error} />}
      <div className="buttons">
        <Button isPending={closing.isPending} onPress={() => closing.mutate()}>
          Close request
        </Button>
      </div>
    </>
  );
}
