import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { OrderStatus } from "earnest-client";
import { orderStatuses } from "../../../protocol/settlement/vocabulary.ts";
import { LongList } from "../parts/long-list.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { orderListQuery } from "./order-queries.ts";
import { statusWords } from "./order-words.ts";

/** The account's purchases, or its sales. */
export function OrdersPage() {
  const client = useClient();
  const navigate = useNavigate();
  const { side = "placed", status } = useSearch({ from: "/orders" });
  const orders = useInfiniteQuery(
    orderListQuery(client, side === "received" ? "received" : "placed", status as OrderStatus | undefined),
  );
  const change = (next: { side?: string; status?: string }) =>
    void navigate({ to: "/orders", search: { side, status, ...next }, replace: true });
  return (
    <Page title="Orders">
      <div className="filters">
        <div>
          <label htmlFor="side">Show</label>
          <select id="side" value={side} onChange={({ target }) => change({ side: target.value })}>
            <option value="placed">Purchases</option>
            <option value="received">Sales</option>
          </select>
        </div>
        <div>
          <label htmlFor="status">Status</label>
          <select
            id="status"
            value={status ?? ""}
            onChange={({ target }) => change({ status: target.value || undefined })}
          >
            <option value="">Any</option>
            {orderStatuses.map((each) => (
              <option key={each} value={each}>
                {statusWords[each]}
              </option>
            ))}
          </select>
        </div>
      </div>
      <LongList
        label="Orders"
        query={orders}
        counted={(total) => `${total} ${total === 1 ? "order" : "orders"}`}
      >
        {(order) => (
          <>
            <Link to="/orders/$orderId" params={{ orderId: order.id }}>
              {order.reference}
            </Link>
            <span>{statusWords[order.status]}</span>
            <Money amount={order.total_amount} currency={order.currency} />
            <Time at={order.created_at} />
          </>
        )}
      </LongList>
    </Page>
  );
}
