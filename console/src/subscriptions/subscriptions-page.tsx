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

/** The subscriptions that the account bought or sold. */
export function SubscriptionsPage() {
  const client = useClient();
  const navigate = useNavigate();
  const search = useSearch({ from: "/subscriptions" });
  const statuses = Object.entries(subscriptionWords) as [SubscriptionStatus, string][];
  const status = statuses.find(([value]) => value === search.status)?.[0];
  const subscriptions = useInfiniteQuery(subscriptionListQuery(client, status));
  return (
    <Page title="Subscriptions">
      <p>
        A subscription places an order each period. You approve each payment; nothing is charged
        automatically.
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
            {statuses.map(([value, words]) => (
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
        {(subscription) => (
          <>
            <Link to="/subscriptions/$subscriptionId" params={{ subscriptionId: subscription.id }}>
              <UserText>{subscription.service.title}</UserText>
            </Link>
            <span>{subscription.your_role === "buyer" ? "Purchase" : "Sale"}</span>
            <span>{subscriptionWords[subscription.status]}</span>
            <span>
              <Money amount={subscription.price} currency={subscription.currency} />{" "}
              {intervalWords[subscription.interval]}
            </span>
            {subscription.next_order_at && (
              <span>
                Next order <Time at={subscription.next_order_at} />
              </span>
            )}
          </>
        )}
      </LongList>
    </Page>
  );
}
