import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { SubscriptionStatus } from "earnest-client";
import { LongList } from "../parts/long-list.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { subscriptionListQuery } from "./subscription-queries.ts";
import { intervalWords, subscriptionWords } from "./subscription-words.ts";

/** What I subscribed to, and what others subscribed to of mine. */
export function SubscriptionsPage() {
  const client = useClient();
  const navigate = useNavigate();
  const search = useSearch({ from: "/subscriptions" });
  const known = Object.entries(subscriptionWords) as [SubscriptionStatus, string][];
  const status = known.find(([value]) => value === search.status)?.[0];
  const subscriptions = useInfiniteQuery(subscriptionListQuery(client, status));
  return (
    <Page title="Subscriptions">
      <p>
        A subscription places an order each period. Nothing is taken by itself: you pay each order that you
        want.
      </p>
      <div className="filters">
        <label>
          Status
          <select
            value={status ?? ""}
            onChange={({ target }) =>
              void navigate({
                to: "/subscriptions",
                search: { status: target.value || undefined },
                replace: true,
              })
            }
          >
            <option value="">Any</option>
            {known.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </div>
      <LongList
        label="Subscriptions"
        query={subscriptions}
        counted={(total) => `${total} ${total === 1 ? "subscription" : "subscriptions"}`}
      >
        {(one) => (
          <>
            <Link to="/subscriptions/$subscriptionId" params={{ subscriptionId: one.id }}>
              <UserText>{one.service.title}</UserText>
            </Link>
            <span>{one.your_role === "buyer" ? "You buy" : "You sell"}</span>
            <span>{subscriptionWords[one.status]}</span>
            <span>
              <Money amount={one.price} currency={one.currency} /> {intervalWords[one.interval]}
            </span>
            {one.next_order_at && (
              <span>
                Next order <Time at={one.next_order_at} />
              </span>
            )}
          </>
        )}
      </LongList>
    </Page>
  );
}
