import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { Conversation } from "../messages/conversation.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { useClient } from "../session/client.ts";
import { useFirstView } from "../shell/first-view.ts";
import { i18n } from "../text/i18n.ts";
import { ChainDetails } from "./chain-details.tsx";
import { Executions } from "./executions.tsx";
import { OrderActions } from "./order-actions.tsx";
import { OrderInvoice } from "./order-invoice.tsx";
import { type OrderView, orderQuery } from "./order-queries.ts";
import { OrderStages } from "./order-stages.tsx";
import { OrderSteps } from "./order-steps.tsx";
import { OrderSummary } from "./order-summary.tsx";
import { orderStatusText, orderStatusTones } from "./order-words.ts";
import { Payload } from "./payloads.tsx";
import { Timeline } from "./timeline.tsx";

const OrderReviewSection = lazy(() =>
  import("../reviews/order-review.tsx").then(({ OrderReviewSection: loaded }) => ({ default: loaded })),
);

/** An order: its service, status and steps, the next step, the payloads, and its activity, receipts and chain details. */
export function OrderPage() {
  const { orderId } = useParams({ from: "/orders/$orderId" });
  const client = useClient();
  const view = useQuery({ ...orderQuery(client, orderId), refetchInterval: 15_000 });
  const shown = <Loaded query={view}>{(data) => <LoadedOrder view={data} />}</Loaded>;
  return view.data ? shown : <Page title={i18n.t("Order")}>{shown}</Page>;
}

function LoadedOrder({ view }: { view: OrderView }) {
  const { order, agreement, options } = view;
  const isShown = useFirstView();
  // The page shows the order before the check loads. Nothing is signed without a check of its own.
  const { data: mismatch } = useQuery({
    queryKey: ["agreement-check", order, agreement],
    queryFn: async () => (await import("./agreement-check.ts")).agreementProblem(order, agreement),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isShown,
  });
  const isSale = options.your_roles.includes("provider");
  return (
    <Page
      title={i18n.t("Order {reference}", { reference: order.reference })}
      of={String(agreement.service_title)}
      crumbs={[
        isSale ? (
          <Link key="list" to="/sales">
            {i18n.t("Sales")}
          </Link>
        ) : (
          <Link key="list" to="/purchases">
            {i18n.t("Purchases")}
          </Link>
        ),
        order.reference,
      ]}
      actions={
        <span className="status" data-status={order.status} role="status">
          <Chip tone={orderStatusTones[order.status]}>{orderStatusText(order.status)}</Chip>
        </span>
      }
    >
      {mismatch && (
        <div className="note problem" role="alert">
          <p>{i18n.t("{mismatch} Do not pay or sign anything for this order.", { mismatch })}</p>
        </div>
      )}
      <OrderSteps view={view} />
      <div className="split">
        <div>
          <OrderActions view={view} />
          {order.stages ? (
            <OrderStages order={order} stages={order.stages} isTheirs={!isSale} />
          ) : (
            <Payload
              title={i18n.t("Output")}
              value={order.delivered_at ? order.output_payload : undefined}
              isTheirs={!isSale}
            />
          )}
          <Payload
            title={i18n.t("Input")}
            value={order.input_payload}
            isTheirs={!options.your_roles.includes("buyer")}
          />
          {order.status !== "created" && order.status !== "expired" && (
            <Suspense>
              <OrderReviewSection
                order={order}
                isArbiter={options.your_roles.every((role) => role === "arbiter")}
              />
            </Suspense>
          )}
          <Conversation
            order={order}
            trail={view.trail}
            isArbiter={options.your_roles.every((role) => role === "arbiter")}
          />
          <Executions view={view} />
          <Tabs
            label={i18n.t("Details")}
            tabs={[
              { id: "activity", title: i18n.t("Activity"), content: <Timeline trail={view.trail} /> },
              { id: "receipts", title: i18n.t("Receipts"), content: <OrderInvoice view={view} /> },
              {
                id: "chain",
                title: i18n.t("On-chain"),
                content: (
                  <ChainDetails view={view} isVerified={mismatch === undefined ? null : mismatch === null} />
                ),
              },
            ]}
          />
        </div>
        <aside>
          <OrderSummary view={view} />
        </aside>
      </div>
    </Page>
  );
}
