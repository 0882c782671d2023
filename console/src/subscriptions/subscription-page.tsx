import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Subscription } from "earnest-client";
import { statusText } from "../orders/order-words.ts";
import { Address } from "../parts/address.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { renewalsQuery, subscriptionQuery } from "./subscription-queries.ts";
import { endWords, intervalWords, subscriptionWords } from "./subscription-words.ts";

/** A subscription: its orders, its terms, and its cancellation. */
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

function Sections({ subscription }: { subscription: Subscription }) {
  return (
    <>
      <p className="status" role="status" data-status={subscription.status}>
        {subscriptionWords[subscription.status]}
      </p>
      {subscription.ended_reason && <p className="note">{endWords[subscription.ended_reason]}</p>}
      <Renewals subscription={subscription} />
      <h2>Terms</h2>
      <dl className="facts">
        <div>
          <dt>Service</dt>
          <dd>
            <Link
              to="/market/$agent/$service"
              params={{ agent: subscription.agent.slug, service: subscription.service.slug }}
            >
              <UserText>{subscription.service.title}</UserText>
            </Link>
            {" by "}
            <UserText>{subscription.agent.name}</UserText>
          </dd>
        </div>
        <div>
          <dt>Price</dt>
          <dd>
            <Money amount={subscription.price} currency={subscription.currency} />{" "}
            {intervalWords[subscription.interval]}
          </dd>
        </div>
        <div>
          <dt>Paid by</dt>
          <dd>
            <Address of={subscription.buyer_address} />
          </dd>
        </div>
        <div>
          <dt>Arbiter</dt>
          <dd>
            <Address of={subscription.arbiter} />
          </dd>
        </div>
        <div>
          <dt>Started</dt>
          <dd>
            <Time at={subscription.started_at} />
          </dd>
        </div>
        {subscription.next_order_at && (
          <div>
            <dt>Next order</dt>
            <dd>
              <Time at={subscription.next_order_at} />
            </dd>
          </div>
        )}
        {subscription.ended_at && (
          <div>
            <dt>Ended</dt>
            <dd>
              <Time at={subscription.ended_at} />
            </dd>
          </div>
        )}
      </dl>
      {subscription.input_payload && (
        <details>
          <summary>Input of each order</summary>
          <Raw>{JSON.stringify(subscription.input_payload, null, 2)}</Raw>
        </details>
      )}
      {subscription.status === "active" && <Cancel subscription={subscription} />}
    </>
  );
}

/** The order of each period. A due order is paid on its own page. */
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
              <span>{statusText(status)}</span>
              <Time at={created_at} />
              <Link
                to="/orders/$orderId"
                params={{ orderId: order_id }}
                className={isDue ? "button primary" : undefined}
              >
                {isDue ? `Pay period ${period}` : `Order of period ${period}`}
              </Link>
            </>
          );
        }}
      </LongList>
    </>
  );
}

/** Cancels the subscription, which cannot be undone. */
function Cancel({ subscription }: { subscription: Subscription }) {
  const client = useClient();
  const queries = useQueryClient();
  const cancelling = useMutation({
    mutationFn: () => client.subscriptions.cancel(subscription.id),
    onSuccess: () => {
      announce("Subscription cancelled.");
      void queries.invalidateQueries({ queryKey: ["orders"] });
    },
  });
  return (
    <>
      <h2>Cancel</h2>
      <p>Cancelling stops future orders. Current orders continue.</p>
      <ConfirmButton
        label="Cancel subscription"
        confirmLabel="Cancel permanently"
        of={subscription.service.title}
        isPending={cancelling.isPending}
        error={cancelling.error}
        onPress={() => cancelling.mutate()}
      />
    </>
  );
}
