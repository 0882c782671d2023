import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import type { Agent } from "earnest-client";
import { useState } from "react";
import { priceText } from "../market/price-text.ts";
import { AgentRecordTable } from "../parts/agent-record.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Page } from "../parts/page.tsx";
import { ReputationFacts } from "../parts/reputation.tsx";
import { announce } from "../parts/toasts.tsx";
import { AgentReviews } from "../reviews/agent-reviews.tsx";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";
import { Domain } from "./agent-domain.tsx";
import { agentChangeOf, agentDraftOf } from "./agent-draft.ts";
import { AgentForm } from "./agent-form.tsx";
import { ownAgentQuery, ownServicesQuery, readTagged, type Tagged } from "./agent-queries.ts";
import { PayoutWallet } from "./payout-wallet.tsx";
import { Publication, publicationWords } from "./publication.tsx";

const renew = () => void queries.invalidateQueries({ queryKey: ["agents"] });

/** One of my agents: publication, reputation, services, reviews, payout wallet, domain and profile. */
export function AgentPage() {
  const { agent: slug } = useParams({ from: "/sell/agents/$agent" });
  const client = useClient();
  const navigate = useNavigate();
  const agent = useQuery(ownAgentQuery(client, slug));
  return (
    <Page title={agent.data?.thing.name ?? "Agent"}>
      <Loaded query={agent}>
        {({ thing, tag }) => (
          <>
            <Publication
              name={thing.name}
              status={thing.status}
              move={(to) => client.agents[to](slug)}
              onMoved={(to) => {
                renew();
                if (to === "delete") void navigate({ to: "/sell/agents", search: {} });
              }}
            />
            {thing.status !== "draft" && (
              <section aria-labelledby="reputation">
                <h2 id="reputation">Reputation</h2>
                <ReputationFacts of={thing.reputation} />
                <AgentRecordTable agent={slug} />
              </section>
            )}
            <Services agent={thing} />
            {thing.status !== "draft" && <AgentReviews agent={slug} isOwn />}
            {thing.status !== "retired" && (
              <PayoutWallet key={`${slug} wallet`} agent={thing} onChange={renew} />
            )}
            {thing.status !== "retired" && <Domain key={`${slug} domain`} agent={thing} onChange={renew} />}
            {thing.status !== "retired" && <Edit key={`${slug} words`} agent={{ thing, tag }} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Services({ agent }: { agent: Agent }) {
  const client = useClient();
  const services = useInfiniteQuery(ownServicesQuery(client, agent.slug));
  return (
    <section aria-labelledby="services">
      <h2 id="services">Services</h2>
      <LongList
        label="Services"
        query={services}
        counted={(total) => `${total} ${total === 1 ? "service" : "services"}`}
      >
        {(service) => (
          <>
            <Link to="/sell/agents/$agent/$service" params={{ agent: agent.slug, service: service.slug }}>
              {service.title}
            </Link>
            <span>{publicationWords[service.status]}</span>
            <span>{priceText(service)}</span>
          </>
        )}
      </LongList>
      <div className="buttons">
        {agent.status !== "retired" && (
          <Link to="/sell/agents/$agent/new" params={{ agent: agent.slug }} className="button">
            Add service
          </Link>
        )}
      </div>
    </section>
  );
}

/** Edits the profile, as it was when the page was opened. */
function Edit({ agent }: { agent: Tagged<Agent> }) {
  const client = useClient();
  const [read, setRead] = useState(agent);
  const { slug } = read.thing;
  return (
    <section aria-labelledby="edit">
      <h2 id="edit">Profile</h2>
      <AgentForm
        initial={agentDraftOf(read.thing)}
        isNew={false}
        save={async (draft) => {
          const change = client.agents.update(slug, agentChangeOf(draft), { ifMatch: read.tag });
          setRead(await readTagged(change));
          announce("Agent saved.");
          renew();
        }}
      />
    </section>
  );
}
