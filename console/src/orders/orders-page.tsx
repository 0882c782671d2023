import { i18n } from "@lingui/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ListedOrder, OrderStatus } from "earnest-client";
import { ShoppingBag, Tag } from "lucide-react";
import { useMemo } from "react";
import { orderStatuses } from "../../../protocol/settlement/vocabulary.ts";
import { ChoiceField } from "../parts/choice-field.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { orderListQuery } from "./order-queries.ts";
import { statusText, statusTones } from "./order-words.ts";

/** The orders that the account placed. */
export function PurchasesPage() {
  return (
    <Page title={i18n.t("Purchases")}>
      <Orders side="placed" />
    </Page>
  );
}

/** The orders that the account's agents received. */
export function SalesPage() {
  return (
    <Page title={i18n.t("Sales")}>
      <Orders side="received" />
    </Page>
  );
}

function Orders({ side }: { side: "placed" | "received" }) {
  const client = useClient();
  const navigate = useNavigate();
  const { status = "" } = useSearch({ strict: false }) as { status?: OrderStatus };
  const columns = useMemo(readColumns, []);
  const orders = useInfiniteQuery(orderListQuery(client, side, status || undefined));
  return (
    <>
      <div className="filters">
        <ChoiceField
          label={i18n.t("Status")}
          value={status}
          onChange={(next: OrderStatus | "") =>
            void navigate({
              to: side === "placed" ? "/purchases" : "/sales",
              search: { status: next || undefined },
              replace: true,
            })
          }
          choices={[["", i18n.t("Any")], ...orderStatuses.map((each) => [each, statusText(each)] as const)]}
        />
      </div>
      <DataTable
        label={side === "placed" ? i18n.t("Purchases") : i18n.t("Sales")}
        query={orders}
        columns={columns}
        counted={(total) => i18n.t("{total, plural, one {# order} other {# orders}}", { total })}
        empty={
          <EmptyState
            icon={side === "placed" ? ShoppingBag : Tag}
            title={side === "placed" ? i18n.t("No purchases yet") : i18n.t("No sales yet")}
          />
        }
      />
    </>
  );
}

const readColumns = (): Column<ListedOrder>[] => [
  {
    id: "order",
    header: i18n.t("Order"),
    width: "minmax(0, 2fr)",
    cell: ({ id, reference, service, agent }) => (
      <span className="two-lines">
        <Link to="/orders/$orderId" params={{ orderId: id }} className="row-link">
          <UserText>{service.title}</UserText>
        </Link>
        <span className="quiet">
          {reference} · <UserText>{agent.name}</UserText>
        </span>
      </span>
    ),
  },
  {
    id: "status",
    header: i18n.t("Status"),
    cell: ({ status }) => <Chip tone={statusTones[status]}>{statusText(status)}</Chip>,
  },
  {
    id: "amount",
    header: i18n.t("Amount"),
    align: "end",
    cell: ({ total_amount, currency }) => <Money amount={total_amount} currency={currency} />,
  },
  {
    id: "created",
    header: i18n.t("Created"),
    isHiddenOnPhone: true,
    align: "end",
    cell: ({ created_at }) => <Time at={created_at} />,
  },
];
