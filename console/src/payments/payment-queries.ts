import { type InfiniteData, queryOptions } from "@tanstack/react-query";
import type { Earnest, Party, PaymentRecord, PaymentRecordPage, SettlementClaim } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** What of the payments is looked at, as the page's address has it; days are as in `2026-11-22`. */
export type Filters = { role?: string; claim?: string; since?: string; until?: string };

type Listed = InfiniteData<{ items: PaymentRecord[]; body: PaymentRecordPage; next: string | null }, unknown>;

/** A payment is named by its receipt. */
const withIds = ({ pages, pageParams }: Listed) => ({
  pages: pages.map((page) => ({
    ...page,
    items: page.items.map((payment) => ({ ...payment, id: payment.receipt_id })),
  })),
  pageParams,
});

/** The payments page by page, by a key that the feed renews with the orders. */
export const paymentListQuery = (client: Earnest, filters: Filters) => ({
  ...pagedQuery(["orders", "payments", filters], (page) =>
    client.payments.list({ ...queryOf(filters), ...page }),
  ),
  select: withIds,
});

/** What came in and went out by month, as the service has added it up: anew each minute, since all of it is read for it. */
export const sumsQuery = (client: Earnest, filters: Filters) =>
  queryOptions({
    queryKey: ["payment-sums", filters],
    queryFn: async () => (await client.payments.sumByMonth(queryOf(filters))).items,
    staleTime: 30_000,
    refetchInterval: 60_000,
  });

/** All of the payments as RFC 4180 text, as the service writes it: exact, and nothing in it is a party's own words. */
export function readTable(client: Earnest, filters: Filters): PromiseLike<string> {
  return client.payments.export(queryOf(filters));
}

/** What an address says and the service knows; the rest of it is left out. */
function queryOf({ role, claim, since, until }: Filters) {
  const [from, to] = [startOf(since, 0), startOf(until, 1)];
  return {
    ...(roles.some((one) => one === role) ? { role: role as Party } : {}),
    ...(claims.some((one) => one === claim) ? { claim: claim as SettlementClaim } : {}),
    ...(from ? { since: from } : {}),
    ...(to ? { until: to } : {}),
  };
}

export const roles: Party[] = ["buyer", "provider"];
export const claims: SettlementClaim[] = ["funded", "released", "refunded"];

/** The first instant of a day, or of one some days later, in the reader's own zone. */
function startOf(day: string | undefined, later: number): string | null {
  const [year = 0, month = 0, date = 0] = /^\d{4}-\d\d-\d\d$/.test(day ?? "")
    ? String(day).split("-").map(Number)
    : [];
  return year > 0 ? new Date(year, month - 1, date + later).toISOString() : null;
}
