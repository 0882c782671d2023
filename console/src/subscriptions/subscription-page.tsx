import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Subscription } from "earnest-client";
import { useMemo } from "react";
import { zeroAddress } from "viem";
import { orderStatusText, orderStatusTones } from "../orders/order-words.ts";
import { Payload } from "../orders/payloads.tsx";
import { Address } from "../parts/address.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.ts";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { type Renewal, renewalsQuery, subscriptionQuery } from "./subscription-queries.ts";
import { endText, periodPrice, subscriptionText, subscriptionTones } from "./subscription-words.ts";

/** A subscription: its orders, its terms, and its cancellation. */
export function SubscriptionPage() {
  const { subscriptionId } = useParams({ from: "/subscriptions/$subscriptionId" });
  const client = useClient();
  const subscription = useQuery(subscriptionQuery(client, subscriptionId));
  const status = subscription.data?.status;
  return (
    <Page
      title={i18n.t("Subscription")}
      of={subscription.data?.service.title}
      crumbs={[
        <Link key="list" to="/subscriptions">
          {i18n.t("Subscriptions")}
        </Link>,
      ]}
      actions={
        status && (
          <span className="status" data-status={status} role="status">
            <Chip tone={subscriptionTones[status]}>{subscriptionText(status)}</Chip>
          </span>
        )
      }
    >
      <Loaded query={subscription}>{(data) => <Sections subscription={data} />}</Loaded>
    </Page>
  );
}

function Sections({ subscription }: { subscription: Subscription }) {
  const { agent, service, arbiter } = subscription;
  return (
    <>
      {subscription.ended_reason && <p className="note">{endText(subscription.ended_reason)}</p>}
      <div className="split">
        <div>
          <Renewals subscription={subscription} />
          <Payload title={i18n.t("Input of each order")} value={subscription.input_payload ?? undefined} />
        </div>
        <aside>
          <section className="card" aria-label={i18n.t("Terms")}>
            <p className="amount">{periodPrice(subscription)}</p>
            <LabelledValues
              rows={[
                [
                  i18n.t("Service"),
                  <Link
                    key="service"
                    to="/market/$agent/$service"
                    params={{ agent: agent.slug, service: service.slug }}
                  >
                    <UserText>{service.title}</UserText>
                  </Link>,
                ],
                [
                  i18n.t("Agent"),
                  <Link key="agent" to="/agents/$agent" params={{ agent: agent.slug }}>
                    <UserText>{agent.name}</UserText>
                  </Link>,
                ],
                [i18n.t("Paid by"), <Address key="buyer" of={subscription.buyer_address} />],
                [
                  i18n.t("Arbiter"),
                  arbiter === zeroAddress ? (
                    i18n.t("None (deadlines only)")
                  ) : (
                    <Address key="arbiter" of={arbiter} />
                  ),
                ],
                [i18n.t("Started"), <Time key="started" at={subscription.started_at} />],
                [
                  i18n.t("Next order"),
                  subscription.next_order_at && <Time key="next" at={subscription.next_order_at} />,
                ],
                [i18n.t("Ended"), subscription.ended_at && <Time key="ended" at={subscription.ended_at} />],
              ]}
            />
            {subscription.status === "active" && <Cancel subscription={subscription} />}
          </section>
        </aside>
      </div>
    </>
  );
}

/** The order of each period. A due order is paid on its own page. */
function Renewals({ subscription: { id, your_role } }: { subscription: Subscription }) {
  const client = useClient();
  const columns = useMemo(() => readColumns(your_role === "buyer"), [your_role]);
  const renewals = useInfiniteQuery(renewalsQuery(client, id));
  return (
    <section aria-labelledby="orders">
      <h2 id="orders">{i18n.t("Orders")}</h2>
      <DataTable
        label={i18n.t("Orders")}
        query={renewals}
        columns={columns}
        counted={(total) => i18n.t("{total, plural, one {# period} other {# periods}} so far", { total })}
      />
    </section>
  );
}

const readColumns = (isBuyer: boolean): Column<Renewal>[] => [
  {
    id: "period",
    header: i18n.t("Period"),
    cell: ({ period, order_id }) => (
      <Link to="/orders/$orderId" params={{ orderId: order_id }} className="row-link">
        {i18n.t("Period {period}", { period })}
      </Link>
    ),
  },
  {
    id: "status",
    header: i18n.t("Status"),
    cell: ({ status }) => <Chip tone={orderStatusTones[status]}>{orderStatusText(status)}</Chip>,
  },
  {
    id: "created",
    header: i18n.t("Created"),
    isHiddenOnPhone: true,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    id: "pay",
    header: i18n.t("Payment"),
    align: "end",
    cell: ({ status, period, order_id }) =>
      isBuyer && status === "created" ? (
        <Link to="/orders/$orderId" params={{ orderId: order_id }} className="button primary">
          {i18n.t("Pay period {period}", { period })}
        </Link>
      ) : (
        <span className="quiet">–</span>
      ),
  },
];

/** Cancels the subscription, which cannot be undone. */
function Cancel({ subscription }: { subscription: Subscription }) {
  const client = useClient();
  const queries = useQueryClient();
  const cancelling = useMutation({
    mutationFn: () => client.subscriptions.cancel(subscription.id),
    onSuccess: () => {
      announce(i18n.t("Subscription cancelled."));
      void queries.invalidateQueries({ queryKey: ["orders"] });
    },
  });
  return (
    <>
      <p className="quiet">{i18n.t("Cancelling stops future orders. Current orders continue.")}</p>
      <ConfirmButton
        label={i18n.t("Cancel subscription")}
        confirmLabel={i18n.t("Cancel permanently")}
        of={subscription.service.title}
        isPending={cancelling.isPending}
        error={cancelling.error}
        onPress={() => cancelling.mutate()}
      />
    </>
  );
}
