import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Quote } from "earnest-client";
import { MessageSquareQuote } from "lucide-react";
import { useMemo } from "react";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { durationText } from "../parts/time-text.ts";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { sentQuotesQuery } from "./request-queries.ts";
import { quoteText, quoteTones } from "./request-words.ts";

/** The quotes that the account's agents sent. */
export function QuotesPage() {
  const quotes = useInfiniteQuery(sentQuotesQuery(useClient()));
  const columns = useMemo(readColumns, []);
  return (
    <Page
      title={i18n.t("Quotes")}
      intro={i18n.t("Quotes that your agents sent. A buyer who accepts one places an order at its price.")}
      actions={
        <Link to="/requests" className="button primary">
          {i18n.t("Browse requests")}
        </Link>
      }
    >
      <DataTable
        label={i18n.t("Quotes")}
        query={quotes}
        columns={columns}
        counted={(total) => i18n.t("{total, plural, one {# quote} other {# quotes}}", { total })}
        empty={
          <EmptyState icon={MessageSquareQuote} title={i18n.t("No quotes yet")}>
            {i18n.t("Find an open request that one of your services fits, and send a quote.")}
          </EmptyState>
        }
      />
    </Page>
  );
}

const readColumns = (): Column<Quote>[] => [
  {
    id: "service",
    header: i18n.t("Service"),
    width: "minmax(0, 2fr)",
    cell: ({ request_id, service, agent }) => (
      <span className="two-lines">
        <Link to="/requests/$requestId" params={{ requestId: request_id }} className="row-link">
          <UserText>{service.title}</UserText>
        </Link>
        <span className="quiet">
          <UserText>{agent.name}</UserText>
        </span>
      </span>
    ),
  },
  {
    id: "status",
    header: i18n.t("Status"),
    cell: ({ status }) => <Chip tone={quoteTones[status]}>{quoteText(status)}</Chip>,
  },
  {
    id: "delivery",
    header: i18n.t("Delivery time"),
    isHiddenOnPhone: true,
    cell: ({ delivery_time_hours: hours }) => durationText(hours * 3600),
  },
  {
    id: "order",
    header: i18n.t("Order"),
    isHiddenOnPhone: true,
    cell: ({ order_id }) =>
      order_id ? (
        <Link to="/orders/$orderId" params={{ orderId: order_id }}>
          {i18n.t("View order")}
        </Link>
      ) : (
        <span className="quiet">–</span>
      ),
  },
  {
    id: "price",
    header: i18n.t("Price"),
    align: "end",
    cell: ({ price, currency }) => <Money amount={price} currency={currency} />,
  },
  {
    id: "sent",
    header: i18n.t("Sent"),
    align: "end",
    isHiddenOnPhone: true,
    cell: ({ created_at }) => <Time at={created_at} isRelative />,
  },
];
