import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import type { Agent, ListedService } from "earnest-client";
import { ExternalLink, Package, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { priceText } from "../market/service-price.ts";
import { AgentRecordTable } from "../parts/agent-record.tsx";
import { Button } from "../parts/button.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ReputationDetails } from "../parts/reputation.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { announce } from "../parts/toasts.ts";
import { UserText } from "../parts/user-text.tsx";
import { AgentReviews } from "../reviews/agent-reviews.tsx";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";
import { i18n } from "../text/i18n.ts";
import { Domain } from "./agent-domain.tsx";
import { agentChangeOf, agentDraftOf } from "./agent-draft.ts";
import { AgentForm } from "./agent-form.tsx";
import { ownAgentQuery, ownServicesQuery, readTagged, type Tagged } from "./agent-queries.ts";
import { OwnAgent } from "./own-agent.tsx";
import { PayoutWallet } from "./payout-wallet.tsx";
import { Publication, PublicationChip } from "./publication.tsx";

const renew = () => void queries.invalidateQueries({ queryKey: ["agents"] });

/** One of my agents: publication, and its services, reviews, payout wallet, domain and profile in tabs. */
export function OwnAgentPage() {
  const { agent: slug } = useParams({ from: "/sell/agents/$agent" });
  const agent = useQuery(ownAgentQuery(useClient(), slug));
  const status = agent.data?.thing.status;
  return (
    <OwnAgent slug={slug}>
      <Page
        title={i18n.t("Agent")}
        of={agent.data?.thing.name}
        crumbs={[
          <Link key="agents" to="/sell/agents">
            {i18n.t("Agents")}
          </Link>,
        ]}
        actions={
          <>
            {status !== undefined && status !== "draft" && (
              <Link to="/agents/$agent" params={{ agent: slug }} className="button">
                <ExternalLink size={16} aria-hidden />
                {i18n.t("View public page")}
              </Link>
            )}
            {status !== undefined && status !== "retired" && (
              <Link
                to="/sell/agents/$agent/new"
                params={{ agent: slug }}
                className={status === "draft" ? "button" : "button primary"}
              >
                <Plus size={16} aria-hidden />
                {i18n.t("Add service")}
              </Link>
            )}
          </>
        }
      >
        <Loaded query={agent}>{(read) => <OwnAgentTabs key={slug} agent={read} />}</Loaded>
      </Page>
    </OwnAgent>
  );
}

function OwnAgentTabs({ agent }: { agent: Tagged<Agent> }) {
  const { thing } = agent;
  const { slug, status } = thing;
  const client = useClient();
  const navigate = useNavigate();
  const [tab, setTab] = useState("services");
  const isActive = status !== "retired";
  return (
    <>
      <Publication
        name={thing.name}
        status={status}
        conditions={[
          {
            isMet: thing.payout_wallet !== null,
            text: thing.payout_wallet ? (
              i18n.t("Payout wallet")
            ) : (
              <Button size="small" onPress={() => setTab("wallet")}>
                {i18n.t("Choose a payout wallet")}
              </Button>
            ),
          },
        ]}
        move={(to) => client.agents[to](slug)}
        onMoved={(to) => {
          renew();
          if (to === "delete") void navigate({ to: "/sell/agents", search: {} });
        }}
      />
      <Tabs
        label={i18n.t("Parts of the agent")}
        chosen={tab}
        onChoose={setTab}
        tabs={[
          { id: "services", title: i18n.t("Services"), content: <Services agent={thing} /> },
          ...(status === "draft"
            ? []
            : [{ id: "reviews", title: i18n.t("Reviews"), content: <Reviews agent={thing} /> }]),
          ...(isActive
            ? [
                {
                  id: "wallet",
                  title: i18n.t("Payout wallet"),
                  content: <PayoutWallet agent={thing} onChange={renew} />,
                },
                {
                  id: "domain",
                  title: i18n.t("Domain"),
                  content: <Domain agent={thing} onChange={renew} />,
                },
                { id: "profile", title: i18n.t("Profile"), content: <Edit agent={agent} /> },
              ]
            : []),
        ]}
      />
    </>
  );
}

function Reviews({ agent }: { agent: Agent }) {
  return (
    <>
      <section className="card" aria-label={i18n.t("Reputation")}>
        <ReputationDetails of={agent.reputation} />
        <AgentRecordTable agent={agent.slug} />
      </section>
      <AgentReviews agent={agent.slug} isOwn />
    </>
  );
}

function Services({ agent }: { agent: Agent }) {
  const services = useInfiniteQuery(ownServicesQuery(useClient(), agent.slug));
  const columns = useMemo(readColumns, []);
  return (
    <DataTable
      label={i18n.t("Services")}
      query={services}
      columns={columns}
      counted={(total) => i18n.t("{total, plural, one {# service} other {# services}}", { total })}
      empty={
        <EmptyState icon={Package} title={i18n.t("No services yet")}>
          {i18n.t("Add a service with its price, its delivery time and what the buyer receives.")}
        </EmptyState>
      }
    />
  );
}

const readColumns = (): Column<ListedService>[] => [
  {
    id: "service",
    header: i18n.t("Service"),
    width: "minmax(0, 2fr)",
    cell: ({ title, slug, agent }) => (
      <span className="two-lines">
        <Link
          to="/sell/agents/$agent/$service"
          params={{ agent: agent.slug, service: slug }}
          className="row-link"
        >
          <UserText>{title}</UserText>
        </Link>
        <span className="quiet">{slug}</span>
      </span>
    ),
  },
  {
    id: "status",
    header: i18n.t("Status"),
    cell: ({ status, available }) =>
      status === "published" && !available ? (
        <Chip tone="warn">{i18n.t("Not accepting orders")}</Chip>
      ) : (
        <PublicationChip status={status} />
      ),
  },
  {
    id: "completed",
    header: i18n.t("Completed orders"),
    align: "end",
    isHiddenOnPhone: true,
    cell: ({ completed_order_count: count }) => <span className="number">{count}</span>,
  },
  {
    id: "price",
    header: i18n.t("Price"),
    align: "end",
    cell: (service) => <span className="money">{priceText(service)}</span>,
  },
];

/** Edits the profile, as it was when the page was opened. */
function Edit({ agent }: { agent: Tagged<Agent> }) {
  const client = useClient();
  const [read, setRead] = useState(agent);
  const { thing } = read;
  return (
    <AgentForm
      initial={agentDraftOf(thing)}
      isNew={false}
      marks={thing}
      save={async (draft) => {
        const change = client.agents.update(thing.slug, agentChangeOf(draft), { ifMatch: read.tag });
        setRead(await readTagged(change));
        announce(i18n.t("Agent saved."));
        renew();
      }}
    />
  );
}
