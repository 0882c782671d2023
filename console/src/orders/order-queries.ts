import { queryOptions } from "@tanstack/react-query";
import type { Earnest, ListedOrder, OrderSort, TrailEntry } from "earnest-client";
import { amountPattern } from "../../../protocol/settlement/money.ts";
import { orderStatuses } from "../../../protocol/settlement/vocabulary.ts";
import { startOfDay } from "../parts/day.ts";
import { pagedQuery } from "../parts/paging.ts";

/** The side of a list of orders. Query keys are ["order", id, ...] for an order and ["orders", ...] for lists; the feed refreshes both. */
export type Side = "placed" | "received";

const read = (client: Earnest, side: Side, query: Parameters<Earnest["orders"]["listReceived"]>[0]) =>
  side === "placed" ? client.orders.list(query) : client.orders.listReceived(query);

/** The newest orders that wait for approval. */
export const approvalsQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["orders", "approvals"],
    queryFn: async (): Promise<ListedOrder[]> =>
      (await client.orders.list({ approval: "pending", limit: 50 })).items,
  });

/** The search parameters of an order list's URL. */
export type OrderSearch = {
  q?: string;
  status?: string;
  /** days, as in `2026-11-28`, in the reader's time zone; `until` is included */
  since?: string;
  until?: string;
  min?: string;
  max?: string;
  sort?: string;
};

/** Translates the URL's parameters into the service's. Values that it would refuse are left out. */
const queryOf = ({ q, status, since, until, min, max, sort }: OrderSearch) => ({
  q: q || undefined,
  status: orderStatuses.find((each) => each === status),
  created_after: startOfDay(since),
  created_before: startOfDay(until, 1),
  min_amount: min && amountPattern.test(min) ? min : undefined,
  max_amount: max && amountPattern.test(max) ? max : undefined,
  sort: orderSorts.find((each) => each === sort),
});

/** The orders that a list can have. */
export const orderSorts: readonly OrderSort[] = [
  "newest",
  "oldest",
  "amount_high",
  "amount_low",
  "deadline_first",
  "deadline_last",
];

/** The orders of a side that match a search, page by page. */
export const orderListQuery = (client: Earnest, side: Side, search: OrderSearch) =>
  pagedQuery(["orders", "list", side, search], (page) => read(client, side, { ...queryOf(search), ...page }));

/** The number of orders in each status that match a search. */
export const orderCountsQuery = (client: Earnest, side: Side, search: OrderSearch) => {
  const { status: _, sort: __, ...query } = queryOf(search);
  return queryOptions({
    queryKey: ["orders", "counts", side, query],
    queryFn: async () =>
      (await (side === "placed" ? client.orders.counts(query) : client.orders.receivedCounts(query))).items,
    placeholderData: (before) => before,
  });
};

/** Reads the orders of a side that match a search as CSV (RFC 4180). */
export const readOrderTable = (client: Earnest, side: Side, search: OrderSearch): PromiseLike<string> =>
  side === "placed" ? client.orders.export(queryOf(search)) : client.orders.exportReceived(queryOf(search));

/** An order with everything that its page shows. */
export const orderQuery = (client: Earnest, orderId: string) =>
  queryOptions({ queryKey: ["order", orderId], queryFn: () => readOrderView(client, orderId) });

/** The stages of an order with their outputs and schemas. */
export const stagesQuery = (client: Earnest, orderId: string) =>
  queryOptions({
    queryKey: ["order", orderId, "stages"],
    queryFn: async () => (await client.orders.listStages(orderId)).items,
  });

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
