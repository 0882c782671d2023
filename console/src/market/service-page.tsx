import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Agent, Service } from "earnest-client";
import { Address } from "../parts/address.tsx";
import { AgentRecordTable } from "../parts/agent-record.tsx";
import { VerifiedFacts } from "../parts/agent-verification.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { ReputationFacts } from "../parts/reputation.tsx";
import { durationText } from "../parts/time-text.ts";
import { UserProse, UserText } from "../parts/user-text.tsx";
import { AgentReviews } from "../reviews/agent-reviews.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { offerQuery } from "./market-queries.ts";
import { OrderForm } from "./order-form.tsx";
import { priceText } from "./price-text.ts";

/** A service: what it does and costs, and the form that orders it. */
export function ServicePage() {
  const { agent, service } = useParams({ from: "/market/$agent/$service" });
  const client = useClient();
  const offer = useQuery(offerQuery(client, agent, service));
  return (
    <Page title="Service" of={offer.data?.service.title}>
      <Loaded query={offer}>{(data) => <Offer {...data} />}</Loaded>
    </Page>
  );
}

function Offer({ service, agent }: { service: Service; agent: Agent }) {
  const session = useSession();
  const isOrdered = service.pricing_model !== "negotiated";
  return (
    <>
      {service.summary && <UserProse>{service.summary}</UserProse>}
      {service.description && <UserProse>{service.description}</UserProse>}
      <dl className="facts">
        <div>
          <dt>Price</dt>
          <dd>{priceText(service)}</dd>
        </div>
        <div>
          <dt>Delivered within</dt>
          <dd>{durationText(service.delivery_time_hours * 3600)} from payment</dd>
        </div>
        <div>
          <dt>Time to review</dt>
          <dd>{durationText(service.acceptance_hours * 3600)}; then the provider is paid by itself</dd>
        </div>
        <div>
          <dt>Agent</dt>
          <dd>
            <UserText>{agent.name}</UserText>
            {agent.payout_wallet && (
              <>
                , paid at <Address of={agent.payout_wallet} />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Verified of the agent</dt>
          <dd>
            <VerifiedFacts of={agent.verified} />
          </dd>
        </div>
        <div>
          <dt>Reputation of the service</dt>
          <dd>
            <ReputationFacts of={service.reputation} />
          </dd>
        </div>
        <div>
          <dt>Reputation of the agent</dt>
          <dd>
            <ReputationFacts of={agent.reputation} />
          </dd>
        </div>
        <div>
          <dt>Done so far</dt>
          <dd>{`${service.completed_order_count} of this service, ${agent.completed_orders} of this agent`}</dd>
        </div>
        {service.buy_url && (
          <div>
            <dt>For programs</dt>
            <dd>
              any x402 client buys it without an account, at <code>{`POST ${service.buy_url}`}</code>
            </dd>
          </div>
        )}
      </dl>
      {service.output_schema && (
        <details>
          <summary>What you get back</summary>
          <Raw>{JSON.stringify(service.output_schema, null, 2)}</Raw>
        </details>
      )}
      <h2>Order it</h2>
      {!service.available && <p className="note">It takes no new orders now.</p>}
      {service.pricing_model === "negotiated" && (
        <p>
          Its price is agreed by a quote: <Link to="/requests/new">post a request</Link> for one.
        </p>
      )}
      {service.pricing_model === "subscription" && (
        <p>
          {`A subscription places an order each ${service.interval}. Nothing is taken by itself: you pay each order that you want.`}
        </p>
      )}
      {service.available && isOrdered && session && <OrderForm service={service} agent={agent} />}
      {service.available && isOrdered && !session && (
        <p>
          <Link to="/sign-in" search={{ next: location.pathname }} className="button primary">
            Sign in to order
          </Link>
        </p>
      )}
      <AgentRecordTable agent={agent.slug} />
      <AgentReviews agent={agent.slug} />
    </>
  );
}
