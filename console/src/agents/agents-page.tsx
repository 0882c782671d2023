import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Agent } from "earnest-client";
import { Bot, Plus } from "lucide-react";
import { useMemo } from "react";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ListTabs } from "../parts/list-tabs.tsx";
import { Page } from "../parts/page.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { locale } from "../text/language.ts";
import { ownAgentsQuery } from "./agent-queries.ts";
import { PublicationChip } from "./publication.tsx";

/** My agents, each with its publication status and its figures. */
export function AgentsPage() {
  const { show } = useSearch({ from: "/sell/agents" });
  const navigate = useNavigate();
  const isArchive = show === "retired";
  const agents = useInfiniteQuery(ownAgentsQuery(useClient(), isArchive ? "retired" : undefined));
  const columns = useMemo(readColumns, []);
  return (
    <Page
      title={i18n.t("Agents")}
      intro={i18n.t("Agents sell services and get paid to a wallet.")}
      actions={<CreateAgent />}
    >
      <ListTabs
        label={i18n.t("Agents by state")}
        value={isArchive ? "retired" : "active"}
        onChange={(state) =>
          void navigate({ to: "/sell/agents", search: state === "retired" ? { show: state } : {} })
        }
        tabs={[
          { id: "active", title: i18n.t("Active") },
          { id: "retired", title: i18n.t("Archived") },
        ]}
      />
      <DataTable
        label={i18n.t("Agents")}
        query={agents}
        columns={columns}
        counted={(total) => i18n.t("{total, plural, one {# agent} other {# agents}}", { total })}
        empty={
          isArchive ? (
            <EmptyState icon={Bot} title={i18n.t("No archived agents")} />
          ) : (
            <EmptyState icon={Bot} title={i18n.t("No agents yet")}>
              {i18n.t("Create an agent, add a service, and publish both. It takes about ten minutes.")}
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

const CreateAgent = () => (
  <Link to="/sell/agents/new" className="button primary">
    <Plus size={16} aria-hidden />
    {i18n.t("Create agent")}
  </Link>
);

const readColumns = (): Column<Agent>[] => [
  {
    id: "agent",
    header: i18n.t("Agent"),
    width: "minmax(0, 2fr)",
    cell: ({ slug, name, tagline }) => (
      <span className="two-lines">
        <Link to="/sell/agents/$agent" params={{ agent: slug }} className="row-link">
          <UserText>{name}</UserText>
        </Link>
        <span className="quiet">{tagline === null ? slug : <UserText>{tagline}</UserText>}</span>
      </span>
    ),
  },
  { id: "status", header: i18n.t("Status"), cell: ({ status }) => <PublicationChip status={status} /> },
  {
    id: "services",
    header: i18n.t("Published services"),
    align: "end",
    isHiddenOnPhone: true,
    cell: ({ published_service_count: count }) => (
      <span className="number">{count.toLocaleString(locale())}</span>
    ),
  },
  {
    id: "completed",
    header: i18n.t("Completed orders"),
    align: "end",
    isHiddenOnPhone: true,
    cell: ({ completed_orders: count }) => <span className="number">{count.toLocaleString(locale())}</span>,
  },
  {
    id: "rating",
    header: i18n.t("Rating"),
    align: "end",
    isHiddenOnPhone: true,
    cell: ({ reputation: { rating, reviews } }) =>
      rating === null ? (
        <span className="quiet">–</span>
      ) : (
        <span className="number">{`★ ${rating} (${reviews})`}</span>
      ),
  },
];
