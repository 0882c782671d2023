import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, Navigate, useNavigate, useSearch } from "@tanstack/react-router";
import type { ListedOrder } from "earnest-client";
import { Scale } from "lucide-react";
import { useMemo } from "react";
import { ChoiceField } from "../parts/choice-field.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ListTabs } from "../parts/list-tabs.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { Chip, type Tone } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { disputeListQuery, disputeParts, type Part, undecidedQuery } from "./dispute-queries.ts";

/**
 * The disputes that the account decides, or is a party of. Without a choice in the URL, an arbiter with disputes to decide
 * sees these, and everybody else all disputes of the account.
 */
export function DisputesPage() {
  const search = useSearch({ from: "/disputes" });
  const chosen = disputeParts.find((part) => part === search.part);
  const undecided = useQuery({ ...undecidedQuery(useClient()), enabled: chosen === undefined });
  if (chosen !== undefined) return <Listed part={chosen} hasEnded={search.ended === "yes"} />;
  if (undecided.isPending) return <Skeleton />;
  // The choice goes into the URL, so that the list stays when the last dispute is decided.
  return <Navigate to="/disputes" search={{ part: undecided.data?.length ? "arbiter" : "all" }} replace />;
}

function Listed({ part, hasEnded }: { part: Part; hasEnded: boolean }) {
  const client = useClient();
  const navigate = useNavigate();
  const isOpen = part !== "arbiter" || !hasEnded;
  const disputes = useInfiniteQuery(disputeListQuery(client, part, isOpen));
  const columns = useMemo(readColumns, []);
  return (
    <Page
      title={i18n.t("Disputes")}
      intro={i18n.t("The escrow holds the money of a disputed order until its arbiter decides.")}
    >
      <ListTabs
        label={i18n.t("Your part")}
        value={part}
        onChange={(next) => void navigate({ to: "/disputes", search: { part: next }, replace: true })}
        tabs={[
          { id: "all", title: i18n.t("All") },
          { id: "arbiter", title: i18n.t("To decide") },
          { id: "buyer", title: i18n.t("Purchases") },
          { id: "provider", title: i18n.t("Sales") },
        ]}
      />
      {part === "arbiter" && (
        <div className="filters">
          <ChoiceField
            label={i18n.t("Status")}
            value={isOpen ? "no" : "yes"}
            onChange={(ended) =>
              void navigate({
                to: "/disputes",
                search: ended === "yes" ? { part, ended } : { part },
                replace: true,
              })
            }
            choices={[
              ["no", i18n.t("Open")],
              ["yes", i18n.t("Paid out")],
            ]}
          />
        </div>
      )}
      <DataTable
        label={i18n.t("Disputes")}
        query={disputes}
        columns={columns}
        counted={(total) => i18n.t("{total, plural, one {# dispute} other {# disputes}}", { total })}
        empty={
          <EmptyState icon={Scale} title={i18n.t("No disputes")}>
            {part === "arbiter"
              ? i18n.t("Disputes that name one of your wallets as arbiter appear here.")
              : i18n.t("A buyer or a provider can open a dispute on the order's page.")}
          </EmptyState>
        }
      />
    </Page>
  );
}

/** The state of a listed dispute, as far as the list knows it. */
const stateOf = ({ status, escrow }: ListedOrder): [Tone, string] => {
  if (escrow.status === "decided") return ["info", i18n.t("Decided")];
  return status === "disputed" ? ["bad", i18n.t("Under review")] : ["good", i18n.t("Paid out")];
};

const readColumns = (): Column<ListedOrder>[] => [
  {
    id: "order",
    header: i18n.t("Order"),
    width: "minmax(0, 2fr)",
    cell: ({ id, reference, service, agent }) => (
      <span className="two-lines">
        <Link to="/orders/$orderId/dispute" params={{ orderId: id }} className="row-link">
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
    cell: (order) => {
      const [tone, text] = stateOf(order);
      return <Chip tone={tone}>{text}</Chip>;
    },
  },
  {
    id: "amount",
    header: i18n.t("Amount"),
    align: "end",
    cell: ({ total_amount, currency }) => <Money amount={total_amount} currency={currency} />,
  },
  {
    id: "opened",
    header: i18n.t("Opened"),
    align: "end",
    isHiddenOnPhone: true,
    cell: ({ disputed_at }) =>
      disputed_at ? <Time at={disputed_at} isRelative /> : <span className="quiet">–</span>,
  },
];
