import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Subscription } from "earnest-client";
import { Repeat } from "lucide-react";
import { useMemo } from "react";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ListTabs } from "../parts/list-tabs.tsx";
import { Page } from "../parts/page.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { subscriptionListQuery } from "./subscription-queries.ts";
import {
  periodPrice,
  subscriptionStatuses,
  subscriptionText,
  subscriptionTones,
} from "./subscription-words.ts";

/** The subscriptions that the account bought or sold. */
export function SubscriptionsPage() {
  const client = useClient();
  const navigate = useNavigate();
  const search = useSearch({ from: "/subscriptions" });
  const status = subscriptionStatuses.find((each) => each === search.status);
  const subscriptions = useInfiniteQuery(subscriptionListQuery(client, status));
  const columns = useMemo(readColumns, []);
  return (
    <Page
      title={i18n.t("Subscriptions")}
      intro={i18n.t(
        "A subscription places an order each period. You approve each payment; nothing is charged automatically.",
      )}
    >
      <ListTabs
        label={i18n.t("Status")}
        value={status ?? ""}
        onChange={(next) =>
          void navigate({ to: "/subscriptions", search: { status: next || undefined }, replace: true })
        }
        tabs={[
          { id: "", title: i18n.t("All") },
          ...subscriptionStatuses.map((each) => ({ id: each, title: subscriptionText(each) })),
        ]}
      />
      <DataTable
        label={i18n.t("Subscriptions")}
        query={subscriptions}
        columns={columns}
        counted={(total) =>
          i18n.t("{total, plural, one {# subscription} other {# subscriptions}}", { total })
        }
        empty={
          status ? (
            <EmptyState icon={Repeat} title={i18n.t("No subscriptions with this status")} />
          ) : (
            <EmptyState
              icon={Repeat}
              title={i18n.t("No subscriptions yet")}
              action={
                <Link to="/market" search={{ pricing: "subscription" }} className="button primary">
                  {i18n.t("Browse subscriptions")}
                </Link>
              }
            >
              {i18n.t("Subscribe to a service to receive work each day, week, month or year.")}
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

const readColumns = (): Column<Subscription>[] => [
  {
    id: "service",
    header: i18n.t("Service"),
    width: "minmax(0, 2fr)",
    cell: ({ id, service, agent }) => (
      <span className="two-lines">
        <Link to="/subscriptions/$subscriptionId" params={{ subscriptionId: id }} className="row-link">
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
    cell: ({ status }) => <Chip tone={subscriptionTones[status]}>{subscriptionText(status)}</Chip>,
  },
  {
    id: "role",
    header: i18n.t("Type"),
    isHiddenOnPhone: true,
    cell: ({ your_role }) => (your_role === "buyer" ? i18n.t("Purchase") : i18n.t("Sale")),
  },
  {
    id: "next",
    header: i18n.t("Next order"),
    isHiddenOnPhone: true,
    cell: ({ next_order_at: next }) =>
      next ? <Time at={next} isRelative /> : <span className="quiet">–</span>,
  },
  {
    id: "price",
    header: i18n.t("Price"),
    align: "end",
    cell: (subscription) => <span className="money">{periodPrice(subscription)}</span>,
  },
];
