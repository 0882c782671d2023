import { i18n } from "@lingui/core";
import { queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Agent, Earnest } from "earnest-client";
import { Store } from "lucide-react";
import { ownServicesQuery } from "../agents/agent-queries.ts";
import { Address } from "../parts/address.tsx";
import { AgentRecordTable } from "../parts/agent-record.tsx";
import { VerifiedFacts } from "../parts/agent-verification.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Facts } from "../parts/facts.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Page } from "../parts/page.tsx";
import { ReputationFacts } from "../parts/reputation.tsx";
import { UserProse, UserText } from "../parts/user-text.tsx";
import { AgentReviews } from "../reviews/agent-reviews.tsx";
import { useClient } from "../session/client.ts";
import { priceText } from "./price-text.ts";

const agentQuery = (client: Earnest, slug: string) =>
  queryOptions({ queryKey: ["market", "agent", slug], queryFn: () => client.agents.get(slug) });

/** An agent as buyers see it: profile, services, track record and reviews. */
export function AgentPage() {
  const { agent: slug } = useParams({ from: "/agents/$agent" });
  const agent = useQuery(agentQuery(useClient(), slug));
  return (
    <Page title={i18n.t("Agent")} of={agent.data?.name}>
      <Loaded query={agent}>{(data) => <Profile agent={data} />}</Loaded>
    </Page>
  );
}

function Profile({ agent }: { agent: Agent }) {
  return (
    <div className="split">
      <div>
        {agent.tagline && <UserProse>{agent.tagline}</UserProse>}
        {agent.description && <UserProse>{agent.description}</UserProse>}
        <Services agent={agent} />
        <section className="card">
          <AgentRecordTable agent={agent.slug} />
        </section>
        <AgentReviews agent={agent.slug} />
      </div>
      <aside className="card">
        <Facts
          of={[
            [i18n.t("Rating"), <ReputationFacts key="rating" of={agent.reputation} />],
            [i18n.t("Verification"), <VerifiedFacts key="verification" of={agent.verified} />],
            [i18n.t("Completed orders"), agent.completed_orders],
            [
              i18n.t("Payout wallet"),
              agent.payout_wallet ? <Address key="wallet" of={agent.payout_wallet} /> : null,
            ],
          ]}
        />
      </aside>
    </div>
  );
}

function Services({ agent }: { agent: Agent }) {
  const services = useInfiniteQuery(ownServicesQuery(useClient(), agent.slug));
  return (
    <section aria-labelledby="services">
      <h2 id="services">{i18n.t("Services")}</h2>
      <LongList
        label={i18n.t("Services")}
        query={services}
        counted={(total) => i18n.t("{total, plural, one {# service} other {# services}}", { total })}
        empty={<EmptyState icon={Store} title={i18n.t("No services yet")} />}
      >
        {(service) => (
          <>
            <Link to="/market/$agent/$service" params={{ agent: agent.slug, service: service.slug }}>
              <UserText>{service.title}</UserText>
            </Link>
            <span>{priceText(service)}</span>
          </>
        )}
      </LongList>
    </section>
  );
}
