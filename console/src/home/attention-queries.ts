import { type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import type { Earnest, ListedOrder, OrderStatus } from "earnest-client";
import { undecidedQuery } from "../disputes/dispute-queries.ts";
import { isHeld } from "../orders/approval.tsx";
import { approvalsQuery, orderCountsQuery, type Side } from "../orders/order-queries.ts";
import { asPerson } from "../session/as-person.ts";
import { useClient } from "../session/client.ts";

/** The kinds of tasks, in the order of their groups if none has a deadline. */
export type TaskKind =
  | "approve"
  | "pay"
  | "review"
  | "start"
  | "deliver"
  | "record"
  | "decide"
  | "disputedPurchase"
  | "disputedSale";

/** The open tasks of one kind, the soonest deadline first. */
export type TaskGroup = { kind: TaskKind; tasks: Task[]; total: number };

/** An order that needs an action of the user, and the time until which it needs it. */
export type Task = { order: ListedOrder; due: string | null };

type Rule = {
  kind: TaskKind;
  side: Side;
  status: OrderStatus;
  due: (order: ListedOrder) => string | null;
  isOpen?: (order: ListedOrder) => boolean;
};

/** The orders of each side and status that wait for the user. */
const rules: readonly Rule[] = [
  {
    kind: "pay",
    side: "placed",
    status: "created",
    due: (order) => order.funding_deadline,
    isOpen: (order) => !isHeld(order),
  },
  {
    kind: "review",
    side: "placed",
    status: "delivered",
    due: (order) => order.auto_release_at ?? order.acceptance_ends_at,
  },
  {
    kind: "start",
    side: "received",
    status: "funded",
    due: (order) => order.delivery_deadline,
    // A session has no start.
    isOpen: (order) => order.pricing_model !== "per_call",
  },
  { kind: "deliver", side: "received", status: "started", due: (order) => order.delivery_deadline },
  {
    kind: "record",
    side: "received",
    status: "delivered",
    due: (order) => order.delivery_deadline,
    // A recorded delivery needs no further action of the provider.
    isOpen: (order) => order.delivery_record !== "matched",
  },
  { kind: "disputedPurchase", side: "placed", status: "disputed", due: () => null },
  { kind: "disputedSale", side: "received", status: "disputed", due: () => null },
];

/** The most orders of a rule that are read. */
const mostRead = 50;

const ordersOf = async (client: Earnest, { side, status }: Rule): Promise<ListedOrder[]> => {
  const query = { status, limit: mostRead, sort: "deadline_first" } as const;
  return (await (side === "placed" ? client.orders.list(query) : client.orders.listReceived(query))).items;
};

/** Reads what needs the user's attention. A list of orders is read only if the side has orders in its status. */
export function useAttention(): {
  groups: TaskGroup[];
  invitations: number;
  isLoading: boolean;
  failed: UseQueryResult | null;
} {
  const client = useClient();
  const counts = {
    placed: useQuery(orderCountsQuery(client, "placed", {})),
    received: useQuery(orderCountsQuery(client, "received", {})),
  };
  const countOf = ({ side, status }: Rule) =>
    counts[side].data?.find((count) => count.status === status)?.total ?? 0;
  const lists = useQueries({
    queries: rules.map((rule) => ({
      queryKey: ["orders", "attention", rule.kind],
      queryFn: () => ordersOf(client, rule),
      enabled: countOf(rule) > 0,
    })),
  });
  const approvals = useQuery(approvalsQuery(client));
  const disputes = useQuery(undecidedQuery(client));
  const invitations = useQuery({
    queryKey: ["received-invitations", "count"],
    queryFn: async () => (await client.invitations.list({ limit: 1 }, asPerson)).body.total,
  });
  const all: UseQueryResult[] = [counts.placed, counts.received, approvals, disputes, invitations, ...lists];
  const groups = [
    groupOf("approve", approvals.data ?? [], (order) => order.funding_deadline),
    groupOf("decide", disputes.data ?? [], () => null),
    ...rules.map((rule, at) => {
      const orders = countOf(rule) > 0 ? (lists[at]?.data ?? []) : [];
      const unread = Math.max(0, countOf(rule) - mostRead);
      const group = groupOf(rule.kind, orders.filter(rule.isOpen ?? (() => true)), rule.due);
      return { ...group, total: group.total + (orders.length === mostRead ? unread : 0) };
    }),
  ];
  return {
    groups: groups.filter(({ tasks }) => tasks.length > 0).sort((a, b) => soonestOf(a) - soonestOf(b)),
    invitations: invitations.data ?? 0,
    isLoading: all.some(({ isLoading }) => isLoading),
    failed: all.find(({ error }) => error) ?? null,
  };
}

function groupOf(
  kind: TaskKind,
  orders: readonly ListedOrder[],
  due: (order: ListedOrder) => string | null,
): TaskGroup {
  const tasks = orders.map((order) => ({ order, due: due(order) }));
  return { kind, tasks: tasks.sort((a, b) => timeOf(a) - timeOf(b)), total: tasks.length };
}

const timeOf = ({ due }: Task) => Date.parse(due ?? "9999-01-01");
const soonestOf = ({ tasks: [first] }: TaskGroup) => (first ? timeOf(first) : 0);
