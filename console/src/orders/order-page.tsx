import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { Address } from "../parts/address.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { OrderReviewSection } from "../reviews/order-review.tsx";
import { useClient } from "../session/client.ts";
import { nameOfChain } from "../settings.ts";
import { agreementProblem } from "./agreement-check.ts";
import { Deadlines } from "./deadlines-section.tsx";
import { Executions } from "./executions.tsx";
import { OrderActions } from "./order-actions.tsx";
import { type OrderView, orderQuery } from "./order-queries.ts";
import { Receipts } from "./order-receipts.tsx";
import { statusWords } from "./order-words.ts";
import { Payloads } from "./payloads.tsx";
import { Timeline } from "./timeline.tsx";

/** An order: status, next step, deadlines, payment, review, payloads, activity and receipts. */
export function OrderPage() {
  const { orderId } = useParams({ from: "/orders/$orderId" });
  const client = useClient();
  const view = useQuery({ ...orderQuery(client, orderId), refetchInterval: 15_000 });
  return (
    <Page title={view.data ? `Order ${view.data.order.reference}` : "Order"}>
      <Loaded query={view}>{(data) => <Sections view={data} />}</Loaded>
    </Page>
  );
}

/** Links to the order's dispute, or to the page that opens one. */
function DisputeLink({ view: { order, options } }: { view: OrderView }) {
  const canOpen = options.actions.some(({ action, available }) => action === "dispute" && available);
  if (!canOpen && !order.disputed_at) return null;
  return (
    <p>
      <Link to="/orders/$orderId/dispute" params={{ orderId: order.id }}>
        {order.disputed_at ? "View dispute" : "Open a dispute"}
      </Link>
    </p>
  );
}

function Sections({ view }: { view: OrderView }) {
  const { order, agreement } = view;
  const mismatch = useMemo(() => agreementProblem(order, agreement), [order, agreement]);
  return (
    <>
      <p className="status" data-status={order.status} role="status">
        {statusWords[order.status]}
      </p>
      {mismatch && (
        <div className="note problem" role="alert">
          <p>{mismatch} Do not pay or sign anything for this order.</p>
        </div>
      )}
      <OrderActions view={view} />
      <DisputeLink view={view} />
      <Deadlines view={view} />
      <h2>Payment</h2>
      <dl className="facts">
        <div>
          <dt>Amount</dt>
          <dd>
            <Money amount={order.total_amount} currency={order.currency} />
            {order.quantity > 1 && ` (${order.quantity} × ${order.unit_price})`}
          </dd>
        </div>
        <div>
          <dt>Buyer</dt>
          <dd>
            <Address of={order.buyer_address} />
          </dd>
        </div>
        <div>
          <dt>Provider</dt>
          <dd>
            <Address of={order.provider_address} />
          </dd>
        </div>
        <div>
          <dt>Escrow</dt>
          <dd>
            <Address of={order.escrow.contract_address} /> on {nameOfChain(order.escrow.chain_id)}:{" "}
            {order.escrow.status}
          </dd>
        </div>
        <div>
          <dt>Agreement</dt>
          <dd>
            {mismatch ? "Does not match the signed agreement" : "Verified: matches the signed agreement"}
          </dd>
        </div>
      </dl>
      <OrderReviewSection
        order={order}
        isArbiter={view.options.your_roles.every((role) => role === "arbiter")}
      />
      <Payloads order={order} />
      <Executions view={view} />
      <Timeline trail={view.trail} />
      <Receipts receipts={view.receipts} />
    </>
  );
}
