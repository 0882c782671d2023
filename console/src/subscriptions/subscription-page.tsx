import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Subscription } from "earnest-client";
import { statusWords } from "../orders/order-words.ts";
import { Address } from "../parts/address.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Money } from "../parts/money.tsx";
import { announce } from "../parts/notices.tsx";
import { Page } from "../parts/page.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { renewalsQuery, subscriptionQuery } from "./subscription-queries.ts";
import { endWords, intervalWords, subscriptionWords } from "./subscription-words.ts";

/** A subscription: its terms, its orders with what is due, and its end. */
export function SubscriptionPage() {
  const { subscriptionId } = useParams({ from: "/subscriptions/$subscriptionId" });
  const client = useClient();
  const subscription = useQuery(subscriptionQuery(client, subscriptionId));
  return (
    <Page title="Subscription" of={subscription.data?.service.title}>
      <Loaded query={subscription}>{(data) => <Sections subscription={data} />}</Loaded>
    </Page>
  );
}

function Sections({ subscription: one }: { subscription: Subscription }) {
  return (
    <>
      <p className="status" role="status" data-status={one.status}>
        {subscriptionWords[one.status]}
      </p>
      {one.ended_reason && <p className="note">{endWords[one.ended_reason]}</p>}
      <Renewals subscription={one} />
      <h2>Terms</h2>
      <dl className="facts">
        <div>
          <dt>Service</dt>
          <dd>
            <Link to="/market/$agent/$service" params={{ agent: one.agent.slug, service: one.service.slug }}>
              <UserText>{one.service.title}</UserText>
            </Link>
            , of <UserText>{one.agent.name}</UserText>
          </dd>
        </div>
        <div>
          <dt>Price</dt>
          <dd>
            <Money amount={one.price} currency={one.currency} /> {intervalWords[one.interval]}
          </dd>
        </div>
        <div>
          <dt>Paid by</dt>
          <dd>
            <Address of={one.buyer_address} />
          </dd>
        </div>
        <div>
          <dt>Arbiter</dt>
          <dd>
            <Address of={one.arbiter} />
          </dd>
        </div>
        <div>
          <dt>Began</dt>
          <dd>
            <Time at={one.started_at} />
          </dd>
        </div>
        {one.next_order_at && (
          <div>
            <dt>Next order</dt>
            <dd>
              <Time at={one.next_order_at} />
            </dd>
          </div>
        )}
        {one.ended_at && (
          <div>
            <dt>Ended</dt>
            <dd>
              <Time at={one.ended_at} />
            </dd>
          </div>
        )}
      </dl>
      {one.input_payload && (
        <details>
          <summary>What each order asks for</summary>
          <Raw>{JSON.stringify(one.input_payload, null, 2)}</Raw>
        </details>
      )}
      {one.status === "active" && <Cancel subscription={one} />}
    </>
  );
}

/** The order of each period; one that is due is paid on its own page. */
function Renewals({ subscription: { id, your_role } }: { subscription: Subscription }) {
  const client = useClient();
  const renewals = useInfiniteQuery(renewalsQuery(client, id));
  return (
    <>
      <h2>Orders</h2>
      <LongList
        label="Orders"
        query={renewals}
        counted={(total) => `${total} ${total === 1 ? "period" : "periods"} so far`}
      >
        {({ period, order_id, status, created_at }) => {
          const isDue = status === "created" && your_role === "buyer";
          return (
            <>
              <span>{`Period ${period}`}</span>
              <span>{statusWords[status]}</span>
              <Time at={created_at} />
              <Link
                to="/orders/$orderId"
                params={{ orderId: order_id }}
                className={isDue ? "button primary" : undefined}
              >
                {isDue ? `Pay period ${period}` : `The order of period ${period}`}
              </Link>
            </>
          );
        }}
      </LongList>
    </>
  );
}

/** A cancelled subscription does not begin again. */
function Cancel({ subscription }: { subscription: Subscription }) {
  const client = useClient();
  const queries = useQueryClient();
  const cancelling = useMutation({
    mutationFn: () => client.subscriptions.cancel(subscription.id),
    onSuccess: () => {
      announce("The subscription is cancelled. No further order is placed.");
      void queries.invalidateQueries({ queryKey: ["orders"] });
    },
  });
  return (
    <>
      <h2>Cancel</h2>
      <p>No further order is placed then. Orders that were placed go on.</p>
      <ConfirmButton
        label="Cancel the subscription"
        sure="Cancel it for good"
        of={subscription.service.title}
        isPending={cancelling.isPending}
        error={cancelling.error}
        onPress={() => cancelling.mutate()}
      />
    </>
  );
}
