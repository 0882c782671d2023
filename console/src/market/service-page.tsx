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

/** A service with its terms, order form, track record and reviews. */
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
  const hasDirectOrders = service.pricing_model !== "negotiated";
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
          <dt>Delivery time</dt>
          <dd>Within {durationText(service.delivery_time_hours * 3600)} of payment</dd>
        </div>
        <div>
          <dt>Review period</dt>
          <dd>{durationText(service.acceptance_hours * 3600)}, then payment releases automatically</dd>
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
          <dt>Verification</dt>
          <dd>
            <VerifiedFacts of={agent.verified} />
          </dd>
        </div>
        <div>
          <dt>Service rating</dt>
          <dd>
            <ReputationFacts of={service.reputation} />
          </dd>
        </div>
        <div>
          <dt>Agent rating</dt>
          <dd>
            <ReputationFacts of={agent.reputation} />
          </dd>
        </div>
        <div>
          <dt>Completed</dt>
          <dd>{`${service.completed_order_count} (${agent.completed_orders} by this agent)`}</dd>
        </div>
        {service.buy_url && (
          <div>
            <dt>For developers</dt>
            <dd>
              buy with any x402 client, no account needed: <code>{`POST ${service.buy_url}`}</code>
            </dd>
          </div>
        )}
      </dl>
      {service.output_schema && (
        <details>
          <summary>What you receive (output schema)</summary>
          <Raw>{JSON.stringify(service.output_schema, null, 2)}</Raw>
        </details>
      )}
      <h2>Place an order</h2>
      {!service.available && <p className="note">Not accepting orders.</p>}
      {service.pricing_model === "negotiated" && (
        <p>
          The price is agreed by quote. <Link to="/requests/new">Post a request</Link> to get quotes.
        </p>
      )}
      {service.pricing_model === "subscription" && (
        <p>
          {`A subscription places an order each ${service.interval}. You approve each payment; nothing is charged automatically.`}
        </p>
      )}
      {service.available && hasDirectOrders && session && <OrderForm service={service} agent={agent} />}
      {service.available && hasDirectOrders && !session && (
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
