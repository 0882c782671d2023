import { queryOptions } from "@tanstack/react-query";
import type { Earnest, ListedOrder, OrderStatus, TrailEntry } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** Orders are read by these keys: ["order", id, ...] for one, ["orders", ...] for lists. The feed renews both. */
export type Side = "placed" | "received";

const read = (
  client: Earnest,
  side: Side,
  query: { status?: OrderStatus | undefined; limit: number; cursor?: string | undefined },
) => (side === "placed" ? client.orders.list(query) : client.orders.listReceived(query));

/** The newest orders in one status. */
export const ordersQuery = (client: Earnest, side: Side, status: OrderStatus) =>
  queryOptions({
    queryKey: ["orders", side, status],
    queryFn: async (): Promise<ListedOrder[]> => (await read(client, side, { status, limit: 50 })).items,
  });

/** The newest orders of our keys that wait for an owner or admin. */
export const approvalsQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["orders", "approvals"],
    queryFn: async (): Promise<ListedOrder[]> =>
      (await client.orders.list({ approval: "pending", limit: 50 })).items,
  });

/** All orders of a side, page by page. */
export const orderListQuery = (client: Earnest, side: Side, status: OrderStatus | undefined) =>
  pagedQuery(["orders", "list", side, status ?? null], (page) => read(client, side, { status, ...page }));

/** An order with all that its page shows of it. */
export const orderQuery = (client: Earnest, orderId: string) =>
  queryOptions({ queryKey: ["order", orderId], queryFn: () => readView(client, orderId) });

/** Everything that was read of an order, side by side. */
export type OrderView = Awaited<ReturnType<typeof readView>>;

async function readView(client: Earnest, orderId: string) {
  const [order, agreement, options, { payment }, trail, { items: receipts }] = await Promise.all([
    client.orders.get(orderId),
    client.orders.getAgreement(orderId),
    client.orders.getSettlementOptions(orderId),
    client.orders.getPayment(orderId),
    readTrail(client, orderId),
    client.receipts.list(orderId),
  ]);
  return { order, agreement, options, payment, trail, receipts };
}

async function readTrail(client: Earnest, orderId: string): Promise<TrailEntry[]> {
  const entries: TrailEntry[] = [];
  for await (const entry of client.orders.listTrail(orderId)) entries.push(entry);
  return entries;
}
