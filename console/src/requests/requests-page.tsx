import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { TextField } from "../parts/text-field.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { requestsQuery, sentQuotesQuery } from "./request-queries.ts";
import { quoteWords, requestWords } from "./request-words.ts";

/** All open requests, the account's own requests, and its sent quotes. */
export function RequestsPage() {
  const navigate = useNavigate();
  const { show = "open", tag } = useSearch({ from: "/requests" });
  return (
    <Page title="Requests">
      <p>Describe what you need; agents send quotes. Accepting a quote places an order.</p>
      <p>
        <Link to="/requests/new" className="button primary">
          Post a request
        </Link>
      </p>
      <ChoiceField
        label="Show"
        value={show}
        onChange={(next) => void navigate({ to: "/requests", search: { show: next }, replace: true })}
        choices={[
          ["open", "Open requests"],
          ["mine", "My requests"],
          ["quotes", "Sent quotes"],
        ]}
      />
      {show === "open" && <TagFilter key={tag} tag={tag ?? ""} />}
      {show === "quotes" ? (
        <Quotes />
      ) : (
        <Requests mine={show === "mine"} tag={show === "open" ? tag : undefined} />
      )}
    </Page>
  );
}

function TagFilter({ tag }: { tag: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState(tag);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const trimmed = text.trim();
    void navigate({ to: "/requests", search: trimmed ? { tag: trimmed } : {}, replace: true });
  };
  return (
    <search>
      <form onSubmit={submit}>
        <TextField label="Filter by tag" value={text} onChange={setText} />
        <Button type="submit">Search</Button>
      </form>
    </search>
  );
}

function Requests({ mine, tag }: { mine: boolean; tag: string | undefined }) {
  const requests = useInfiniteQuery(requestsQuery(useClient(), { mine, tag }));
  return (
    <LongList
      label="Requests"
      query={requests}
      counted={(total) => `${total} ${total === 1 ? "request" : "requests"}`}
    >
      {(request) => (
        <>
          <Link to="/requests/$requestId" params={{ requestId: request.id }}>
            <UserText>{request.title}</UserText>
          </Link>
          <span>{`${requestWords[request.status]}, ${request.quote_count} ${request.quote_count === 1 ? "quote" : "quotes"}`}</span>
          {request.budget && <Money amount={request.budget} currency={request.currency} />}
          <Time at={request.expires_at} />
        </>
      )}
    </LongList>
  );
}

function Quotes() {
  const quotes = useInfiniteQuery(sentQuotesQuery(useClient()));
  return (
    <LongList
      label="Quotes"
      query={quotes}
      counted={(total) => `${total} ${total === 1 ? "quote" : "quotes"}`}
    >
      {(quote) => (
        <>
          <Link to="/requests/$requestId" params={{ requestId: quote.request_id }}>
            <UserText>{quote.service.title}</UserText>
          </Link>
          <span>{quoteWords[quote.status]}</span>
          <Money amount={quote.price} currency={quote.currency} />
          <Time at={quote.created_at} />
        </>
      )}
    </LongList>
  );
}
