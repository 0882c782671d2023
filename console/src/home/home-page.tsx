import { i18n } from "@lingui/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ListedOrder } from "earnest-client";
import { undecidedQuery } from "../disputes/dispute-queries.ts";
import { isHeld } from "../orders/approval.tsx";
import { approvalsQuery, ordersQuery } from "../orders/order-queries.ts";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";

/** The tasks of the page: the orders of one side in one status, with the due date of each. */
const tasks = [
  {
    side: "placed",
    status: "created",
    title: "To pay",
    due: (order: ListedOrder) => order.funding_deadline,
    isOpen: (order: ListedOrder) => !isHeld(order),
  },
  {
    side: "placed",
    status: "delivered",
    title: "To review",
    due: (order: ListedOrder) => order.auto_release_at,
  },
  {
    side: "received",
    status: "funded",
    title: "To start",
    due: (order: ListedOrder) => order.delivery_deadline,
  },
  {
    side: "received",
    status: "started",
    title: "To deliver",
    due: (order: ListedOrder) => order.delivery_deadline,
  },
  {
    side: "received",
    status: "delivered",
    title: "Confirm delivery on-chain",
    due: (order: ListedOrder) => order.delivery_deadline,
    // A recorded delivery needs no further action of the provider.
    isOpen: (order: ListedOrder) => order.delivery_record !== "matched",
  },
  { side: "placed", status: "disputed", title: "In dispute (purchases)", due: () => null },
  { side: "received", status: "disputed", title: "In dispute (sales)", due: () => null },
] as const;

/** The home page: orders and disputes that need the user's attention. */
export function HomePage() {
  const client = useClient();
  const lists = useQueries({ queries: tasks.map(({ side, status }) => ordersQuery(client, side, status)) });
  const disputes = useQuery(undecidedQuery(client));
  const approvals = useQuery(approvalsQuery(client));
  const all = [...lists, disputes, approvals];
  const error = all.find((list) => list.error)?.error;
  const isLoading = all.some((list) => list.isPending && !list.error);
  const toDecide = disputes.data ?? [];
  const dueOf = (order: ListedOrder) => order.funding_deadline;
  const toApprove = { title: "To approve", orders: soonestFirst(approvals.data ?? [], dueOf), due: dueOf };
  const toDo = tasks.map((task, at) => {
    const isOpen = "isOpen" in task ? task.isOpen : () => true;
    return { ...task, orders: soonestFirst((lists[at]?.data ?? []).filter(isOpen), task.due) };
  });
  const waiting = [toApprove, ...toDo].filter(({ orders }) => orders.length > 0);
  return (
    <Page title={i18n.t("Overview")}>
      {error && <ProblemNote error={error} />}
      {isLoading && <Skeleton />}
      {!isLoading && !error && waiting.length === 0 && toDecide.length === 0 && (
        <p>
          You're all caught up. <Link to="/market">Browse services</Link> or{" "}
          <Link to="/sell/agents/new">create an agent</Link>.
        </p>
      )}
      {toDecide.length > 0 && (
        <section aria-label="To decide as arbiter">
          <h2>{`To decide as arbiter (${toDecide.length})`}</h2>
          <ul className="rows">
            {toDecide.map((order) => (
              <li key={order.id}>
                <Link to="/orders/$orderId/dispute" params={{ orderId: order.id }}>
                  {order.reference}
                </Link>
                <Money amount={order.total_amount} currency={order.currency} />
                <span>{order.disputed_at && <Time at={order.disputed_at} />}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {waiting.map(({ title, orders, due }) => (
        <section key={title} aria-label={title}>
          <h2>{`${title} (${orders.length})`}</h2>
          <ul className="rows">
            {orders.map((order) => (
              <li key={order.id}>
                <Link to="/orders/$orderId" params={{ orderId: order.id }}>
                  {order.reference}
                </Link>
                <Money amount={order.total_amount} currency={order.currency} />
                <span>{due(order) ? <Time at={String(due(order))} /> : "No deadline"}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Page>
  );
}

function soonestFirst(orders: ListedOrder[], due: (order: ListedOrder) => string | null): ListedOrder[] {
  return [...orders].sort((a, b) => Date.parse(due(a) ?? "9999") - Date.parse(due(b) ?? "9999"));
}
