import { type InfiniteData, queryOptions } from "@tanstack/react-query";
import type { Earnest, Party, PaymentRecord, PaymentRecordPage, SettlementClaim } from "earnest-client";
import { startOfDay } from "../parts/day.ts";
import { pagedQuery } from "../parts/paging.ts";

/** The filters in the page's URL. Days are written as `2026-11-22`. */
export type Filters = { role?: string; claim?: string; since?: string; until?: string };

type Listed = InfiniteData<{ items: PaymentRecord[]; body: PaymentRecordPage; next: string | null }, unknown>;

/** Adds the id that the list needs: a payment's receipt id. */
const withIds = ({ pages, pageParams }: Listed) => ({
  pages: pages.map((page) => ({
    ...page,
    items: page.items.map((payment) => ({ ...payment, id: payment.receipt_id })),
  })),
  pageParams,
});

/** The payments page by page. The event feed refreshes the key with the orders. */
export const paymentListQuery = (client: Earnest, filters: Filters) => ({
  ...pagedQuery(["orders", "payments", filters], (page) =>
    client.payments.list({ ...queryOf(filters), ...page }),
  ),
  select: withIds,
});

/** The monthly sums of the service. They are read once a minute, because the service reads all payments for them. */
export const sumsQuery = (client: Earnest, filters: Filters) =>
  queryOptions({
    queryKey: ["payment-sums", filters],
    queryFn: async () => (await client.payments.sumByMonth(queryOf(filters))).items,
    staleTime: 30_000,
    refetchInterval: 60_000,
  });

/** Reads the service's CSV export (RFC 4180). Its amounts are exact, and no cell is a formula. */
export function readTable(client: Earnest, filters: Filters): PromiseLike<string> {
  return client.payments.export(queryOf(filters));
}

/** Converts the URL's filters to the API's query, without unknown values. */
function queryOf({ role, claim, since, until }: Filters) {
  const [from, to] = [startOfDay(since), startOfDay(until, 1)];
  return {
    ...(roles.some((each) => each === role) ? { role: role as Party } : {}),
    ...(settlementClaims.some((each) => each === claim) ? { claim: claim as SettlementClaim } : {}),
    ...(from ? { since: from } : {}),
    ...(to ? { until: to } : {}),
  };
}

export const roles: Party[] = ["buyer", "provider"];
export const settlementClaims: SettlementClaim[] = ["funded", "released", "refunded"];
