import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { OrderStatus } from "earnest-client";
import { orderStatuses } from "../../../settlement/vocabulary.ts";
import { Button } from "../parts/button.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { orderListQuery } from "./queries.ts";
import { statusWords } from "./words.ts";

/** The orders that were placed, or received. */
export function OrdersPage() {
  const client = useClient();
  const navigate = useNavigate();
  const { side = "placed", status } = useSearch({ from: "/orders" });
  const orders = useInfiniteQuery(
    orderListQuery(client, side === "received" ? "received" : "placed", status as OrderStatus | undefined),
  );
  const pages = orders.data?.pages ?? [];
  const change = (next: { side?: string; status?: string }) =>
    void navigate({ to: "/orders", search: { side, status, ...next }, replace: true });
  return (
    <Page title="Orders">
      <div className="filters">
        <div>
          <label htmlFor="side">Orders that you</label>
          <select id="side" value={side} onChange={({ target }) => change({ side: target.value })}>
            <option value="placed">placed</option>
            <option value="received">received</option>
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
            {orderStatuses.map((one) => (
              <option key={one} value={one}>
                {statusWords[one]}
              </option>
            ))}
          </select>
        </div>
      </div>
      {orders.error && <ProblemNote error={orders.error} />}
      <p role="status">
        {pages[0] ? `${pages[0].total} ${pages[0].total === 1 ? "order" : "orders"}` : "Loading …"}
      </p>
      <ul className="rows long">
        {pages.flatMap(({ items }) =>
          items.map((order) => (
            <li key={order.id}>
              <Link to="/orders/$orderId" params={{ orderId: order.id }}>
                {order.reference}
              </Link>
              <span>{statusWords[order.status]}</span>
              <Money amount={order.total_amount} currency={order.currency} />
              <Time at={order.created_at} />
            </li>
          )),
        )}
      </ul>
      {orders.hasNextPage && (
        <Button isPending={orders.isFetchingNextPage} onPress={() => void orders.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Page>
  );
}
