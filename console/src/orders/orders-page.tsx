import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ListedOrder } from "earnest-client";
import { Download, ShoppingBag, Tag } from "lucide-react";
import { useMemo } from "react";
import { UnreadBadge } from "../messages/unread-badge.tsx";
import { Button } from "../parts/button.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { saveFile } from "../parts/save-file.ts";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { OrderFilters, StatusTabs } from "./order-filters.tsx";
import { type OrderSearch, orderListQuery, readOrderTable, type Side } from "./order-queries.ts";
import { orderStatusText, orderStatusTones } from "./order-words.ts";

/** The orders that the account placed. */
export function PurchasesPage() {
  return <Orders side="placed" title={i18n.t("Purchases")} path="/purchases" />;
}

/** The orders that the account's agents received. */
export function SalesPage() {
  return <Orders side="received" title={i18n.t("Sales")} path="/sales" />;
}

function Orders({ side, title, path }: { side: Side; title: string; path: "/purchases" | "/sales" }) {
  const client = useClient();
  const navigate = useNavigate();
  const search: OrderSearch = useSearch({ from: path });
  const orders = useInfiniteQuery(orderListQuery(client, side, search));
  const columns = useMemo(readColumns, []);
  const exporting = useMutation({
    mutationFn: async () => readOrderTable(client, side, search),
    onSuccess: (table) => saveFile(`${path.slice(1)}.csv`, table, "text/csv"),
  });
  const change = (next: OrderSearch) => void navigate({ to: path, search: next, replace: true });
  const isFiltered = Object.entries(search).some(([name, value]) => name !== "sort" && value);
  return (
    <Page
      title={title}
      actions={
        <Button icon={Download} isPending={exporting.isPending} onPress={() => exporting.mutate()}>
          {i18n.t("Export CSV")}
        </Button>
      }
    >
      {exporting.error && <ProblemNote error={exporting.error} />}
      <StatusTabs side={side} search={search} onChange={change} />
      <OrderFilters search={search} onChange={change} />
      <DataTable
        label={title}
        query={orders}
        columns={columns}
        sort={search.sort ?? "newest"}
        onSort={(sort) => change({ ...search, sort })}
        counted={(total) => i18n.t("{total, plural, one {# order} other {# orders}}", { total })}
        empty={<NoOrders side={side} isFiltered={isFiltered} onClear={() => change({})} />}
      />
    </Page>
  );
}

function NoOrders({ side, isFiltered, onClear }: { side: Side; isFiltered: boolean; onClear: () => void }) {
  const icon = side === "placed" ? ShoppingBag : Tag;
  if (isFiltered) {
    return (
      <EmptyState
        icon={icon}
        title={i18n.t("No orders match")}
        action={<Button onPress={onClear}>{i18n.t("Clear filters")}</Button>}
      />
    );
  }
  return side === "placed" ? (
    <EmptyState
      icon={icon}
      title={i18n.t("No purchases yet")}
      action={
        <Link to="/market" className="button primary">
          {i18n.t("Browse services")}
        </Link>
      }
    >
      {i18n.t("Orders that you place appear here.")}
    </EmptyState>
  ) : (
    <EmptyState
      icon={icon}
      title={i18n.t("No sales yet")}
      action={
        <Link to="/sell/agents" className="button primary">
          {i18n.t("View your agents")}
        </Link>
      }
    >
      {i18n.t("Orders of your agents' services appear here.")}
    </EmptyState>
  );
}

const readColumns = (): Column<ListedOrder>[] => [
  {
    id: "order",
    header: i18n.t("Order"),
    width: "minmax(0, 2fr)",
    cell: ({ id, reference, service, agent, unread_messages: unread }) => (
      <span className="two-lines">
        <Link to="/orders/$orderId" params={{ orderId: id }} className="row-link">
          <UserText>{service.title}</UserText>
        </Link>
        <span className="quiet">
          {reference} · <UserText>{agent.name}</UserText> <UnreadBadge count={unread} />
        </span>
      </span>
    ),
  },
  {
    id: "status",
    header: i18n.t("Status"),
    cell: ({ status }) => <Chip tone={orderStatusTones[status]}>{orderStatusText(status)}</Chip>,
  },
  {
    id: "deadline",
    header: i18n.t("Deadline"),
    isHiddenOnPhone: true,
    sorts: ["deadline_first", "deadline_last"],
    cell: (order) => {
      const deadline = deadlineOf(order);
      return deadline ? <Time at={deadline} isRelative /> : <span className="quiet">–</span>;
    },
  },
  {
    id: "amount",
    header: i18n.t("Amount"),
    align: "end",
    sorts: ["amount_low", "amount_high"],
    cell: ({ total_amount, currency }) => <Money amount={total_amount} currency={currency} />,
  },
  {
    id: "created",
    header: i18n.t("Created"),
    align: "end",
    // Fits a time in one line.
    width: "minmax(10.5rem, 1fr)",
    isHiddenOnPhone: true,
    sorts: ["oldest", "newest"],
    cell: ({ created_at }) => <Time at={created_at} />,
  },
];

/** The next deadline of an open order: of its payment, its delivery, or its automatic release. */
function deadlineOf(order: ListedOrder): string | null {
  if (order.status === "created") return order.funding_deadline;
  if (order.status === "funded" || order.status === "started") return order.delivery_deadline;
  return order.status === "delivered" ? (order.auto_release_at ?? order.delivery_deadline) : null;
}
