import { queryOptions } from "@tanstack/react-query";
import type { Earnest, ListedOrder, OrderStatus, TrailEntry } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** The side of a list of orders. Query keys are ["order", id, ...] for an order and ["orders", ...] for lists; the feed refreshes both. */
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

/** The newest orders that wait for approval. */
export const approvalsQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["orders", "approvals"],
    queryFn: async (): Promise<ListedOrder[]> =>
      (await client.orders.list({ approval: "pending", limit: 50 })).items,
  });

/** All orders of a side, page by page. */
export const orderListQuery = (client: Earnest, side: Side, status: OrderStatus | undefined) =>
  pagedQuery(["orders", "list", side, status ?? null], (page) => read(client, side, { status, ...page }));

/** An order with everything that its page shows. */
export const orderQuery = (client: Earnest, orderId: string) =>
  queryOptions({ queryKey: ["order", orderId], queryFn: () => readOrderView(client, orderId) });

/** An order with its agreement, options, payment, trail and receipts. */
export type OrderView = Awaited<ReturnType<typeof readOrderView>>;

async function readOrderView(client: Earnest, orderId: string) {
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
