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
import { givenQuotesQuery, requestsQuery } from "./request-queries.ts";
import { quoteWords, requestWords } from "./request-words.ts";

/** What buyers look for: all open requests, my own, and the quotes that I gave. */
export function RequestsPage() {
  const navigate = useNavigate();
  const { show = "open", tag } = useSearch({ from: "/requests" });
  return (
    <Page title="Requests">
      <p>
        A request says what somebody looks for. Providers quote a price and a time; a quote that is accepted
        is an order.
      </p>
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
          ["mine", "Requests that you posted"],
          ["quotes", "Quotes that you gave"],
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
    const wanted = text.trim();
    void navigate({ to: "/requests", search: wanted ? { tag: wanted } : {}, replace: true });
  };
  return (
    <search>
      <form onSubmit={submit}>
        <TextField label="With the tag" value={text} onChange={setText} />
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
  const quotes = useInfiniteQuery(givenQuotesQuery(useClient()));
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
