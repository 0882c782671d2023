import { queryOptions } from "@tanstack/react-query";
import type { Earnest } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** The role of the account in the listed disputes; `all`: buyer or provider. */
export const disputeParts = ["all", "arbiter", "buyer", "provider"] as const;
export type Part = (typeof disputeParts)[number];

/** A dispute with its order. Its key begins with the order's key, so the event feed refreshes both. */
export const disputeQuery = (client: Earnest, orderId: string) =>
  queryOptions({ queryKey: ["order", orderId, "dispute"], queryFn: () => readView(client, orderId) });

export type DisputeView = Awaited<ReturnType<typeof readView>>;

async function readView(client: Earnest, orderId: string) {
  const [dispute, order, options] = await Promise.all([
    client.disputes.get(orderId),
    client.orders.get(orderId),
    client.orders.getSettlementOptions(orderId),
  ]);
  return { dispute, order, options };
}

/** Disputes page by page. The lists of purchases and of sales have only open disputes. */
export const disputeListQuery = (client: Earnest, part: Part, isOpen: boolean) =>
  pagedQuery(["orders", "disputes", part, isOpen], (page) => {
    if (part === "arbiter") return client.disputes.list({ ...page, open: isOpen });
    if (part === "all") return client.disputes.list({ ...page, role: "party" });
    const open = { ...page, status: "disputed" } as const;
    return part === "buyer" ? client.orders.list(open) : client.orders.listReceived(open);
  });

/** The newest disputes that the account has to decide. */
export const undecidedQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["orders", "disputes", "undecided"],
    queryFn: async () => {
      const { items } = await client.disputes.list({ open: true, limit: 50 });
      return items.filter(({ escrow }) => escrow.status === "disputed");
    },
  });
