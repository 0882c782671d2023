import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import type { Agent, Service } from "earnest-client";
import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Switch } from "../parts/switch.tsx";
import { announce } from "../parts/toasts.ts";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";
import { i18n } from "../text/i18n.ts";
import { ownAgentQuery, ownServiceQuery, readTagged, type Tagged } from "./agent-queries.ts";
import { OwnAgent } from "./own-agent.tsx";
import { type Condition, Publication } from "./publication.tsx";
import { clearsPrice, serviceChangeOf } from "./service-draft.ts";
import { ServiceForm } from "./service-form.tsx";

const renew = () => void queries.invalidateQueries({ queryKey: ["agents"] });

/** One of my services: publication, availability and details. */
export function OwnServicePage() {
  const { agent: slug, service: name } = useParams({ from: "/sell/agents/$agent/$service" });
  const client = useClient();
  const agent = useQuery(ownAgentQuery(client, slug));
  const service = useQuery(ownServiceQuery(client, slug, name));
  const isPublic = service.data?.thing.status === "published";
  return (
    <OwnAgent slug={slug}>
      <Page
        title={i18n.t("Service")}
        of={service.data?.thing.title}
        crumbs={[
          <Link key="agents" to="/sell/agents">
            {i18n.t("Agents")}
          </Link>,
          <Link key="agent" to="/sell/agents/$agent" params={{ agent: slug }}>
            <UserText>{agent.data?.thing.name ?? slug}</UserText>
          </Link>,
        ]}
        actions={
          isPublic && (
            <Link to="/market/$agent/$service" params={{ agent: slug, service: name }} className="button">
              <ExternalLink size={16} aria-hidden />
              {i18n.t("View public page")}
            </Link>
          )
        }
      >
        <Loaded query={agent}>
          {({ thing }) => (
            <Loaded query={service}>{(read) => <OwnService agent={thing} service={read} />}</Loaded>
          )}
        </Loaded>
      </Page>
    </OwnAgent>
  );
}

function OwnService({ agent, service: { thing, tag } }: { agent: Agent; service: Tagged<Service> }) {
  const client = useClient();
  const navigate = useNavigate();
  const isListed = thing.status === "published" || thing.status === "paused";
  return (
    <>
      <Publication
        name={thing.title}
        status={thing.status}
        conditions={conditionsOf(agent, thing)}
        move={(to) => client.services[to](agent.slug, thing.slug)}
        onMoved={(to) => {
          renew();
          if (to === "delete") void navigate({ to: "/sell/agents/$agent", params: { agent: agent.slug } });
        }}
        more={isListed && <Availability service={thing} />}
      />
      {thing.status !== "retired" && (
        <Edit key={`${agent.slug}/${thing.slug}`} agent={agent} service={{ thing, tag }} />
      )}
    </>
  );
}

/** Lists the conditions of a service's publication. */
function conditionsOf(agent: Agent, service: Service): Condition[] {
  const isDraft = agent.status === "draft";
  return [
    {
      isMet: !isDraft,
      text: isDraft ? (
        <Link to="/sell/agents/$agent" params={{ agent: agent.slug }}>
          {i18n.t("Publish the agent")}
        </Link>
      ) : (
        i18n.t("The agent is published")
      ),
    },
    {
      isMet: service.pricing_model === "negotiated" || Number(service.price ?? 0) > 0,
      text: i18n.t("Price"),
    },
    ...(service.pricing_model === "subscription"
      ? [{ isMet: service.interval !== null, text: i18n.t("Billing period") }]
      : []),
  ];
}

/** Switches whether the service takes new orders. It stays listed. */
function Availability({ service }: { service: Service }) {
  const client = useClient();
  const changing = useMutation({
    mutationFn: (available: boolean) =>
      client.services.setAvailability(service.agent.slug, service.slug, { available }),
    // The switch waits until the page has the service's new state, so that it does not move back for a moment.
    onSuccess: () => queries.invalidateQueries({ queryKey: ["agents"] }),
  });
  return (
    <>
      {changing.error && <ProblemNote error={changing.error} />}
      <Switch
        isOn={changing.isPending ? changing.variables : service.available}
        isPending={changing.isPending}
        onChange={(available) => changing.mutate(available)}
      >
        {i18n.t("Accepting orders")}
      </Switch>
    </>
  );
}

/** Edits the service, as it was when the page was opened. Existing orders keep their agreement. */
function Edit({ agent, service }: { agent: Agent; service: Tagged<Service> }) {
  const client = useClient();
  const [read, setRead] = useState(service);
  const { thing, tag } = read;
  return (
    <ServiceForm
      agent={agent}
      service={thing}
      save={async (draft) => {
        const body = {
          ...serviceChangeOf(draft, thing),
          ...(clearsPrice(draft, thing) ? { price: null } : {}),
        };
        const change = client.services.update(agent.slug, thing.slug, body, { ifMatch: tag });
        setRead(await readTagged(change));
        announce(i18n.t("Service saved."));
        renew();
      }}
    />
  );
}
