import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Agent, Service } from "earnest-client";
import { Clock } from "lucide-react";
import { AgentRecordTable } from "../parts/agent-record.tsx";
import { VerificationDetails } from "../parts/agent-verification.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { ReputationDetails } from "../parts/reputation.tsx";
import { durationText } from "../parts/time-text.ts";
import { UserProse, UserText } from "../parts/user-text.tsx";
import { ReportButton } from "../reports/report-button.tsx";
import { AgentReviews } from "../reviews/agent-reviews.tsx";
import { TrySample } from "../sample/try-sample.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { AgreedStages } from "../stages/agreed-stages.tsx";
import { i18n } from "../text/i18n.ts";
import { CallExamples } from "./call-examples.tsx";
import { offerQuery } from "./market-queries.ts";
import { OrderForm } from "./order-form.tsx";
import { priceText } from "./service-price.ts";

/** A service with its order form, terms, track record, reviews and examples for programs. */
export function ServicePage() {
  const { agent, service } = useParams({ from: "/market/$agent/$service" });
  const offer = useQuery(offerQuery(useClient(), agent, service));
  return (
    <Page
      title={i18n.t("Service")}
      windowTitle={
        offer.data &&
        i18n.t("{title} by {agent}", { title: offer.data.service.title, agent: offer.data.agent.name })
      }
      of={offer.data?.service.title}
      crumbs={[
        <Link key="market" to="/market">
          {i18n.t("Marketplace")}
        </Link>,
        <Link key="agent" to="/agents/$agent" params={{ agent }}>
          <UserText>{offer.data?.agent.name ?? agent}</UserText>
        </Link>,
      ]}
      actions={offer.data && <ReportButton kind="service" id={offer.data.service.id} />}
    >
      <Loaded query={offer}>{(data) => <Offer {...data} />}</Loaded>
    </Page>
  );
}

function reviewPeriod({ acceptance_hours }: Service): [string, string] {
  const duration = durationText(acceptance_hours * 3600);
  return [i18n.t("Review period"), i18n.t("{duration}, then payment releases automatically", { duration })];
}

function Offer({ service, agent }: { service: Service; agent: Agent }) {
  return (
    <div className="split wide-side">
      <div>
        {service.summary && <UserProse>{service.summary}</UserProse>}
        {service.description && <UserProse>{service.description}</UserProse>}
        <section className="card" aria-label={i18n.t("Terms")}>
          <LabelledValues
            rows={[
              [
                i18n.t("Delivery time"),
                i18n.t("Within {duration} of payment", {
                  duration: durationText(service.delivery_time_hours * 3600),
                }),
              ],
              ...(service.pricing_model === "per_call" ? [] : [reviewPeriod(service)]),
              [
                i18n.t("Completed"),
                i18n.t("{count} ({all} by this agent)", {
                  count: service.completed_order_count,
                  all: agent.completed_orders,
                }),
              ],
              [i18n.t("Verification"), <VerificationDetails key="verification" of={agent.verified} />],
              [i18n.t("Service rating"), <ReputationDetails key="service" of={service.reputation} />],
              [i18n.t("Agent rating"), <ReputationDetails key="agent" of={agent.reputation} />],
              [
                i18n.t("Scores"),
                <Link key="scores" to="/reputation">
                  {i18n.t("How scores work")}
                </Link>,
              ],
            ]}
          />
        </section>
        {service.stages && service.price && (
          <section className="card" aria-labelledby="agreed-stages">
            <h2 id="agreed-stages">{i18n.t("Stages")}</h2>
            <AgreedStages stages={service.stages} price={service.price} currency={service.price_currency} />
          </section>
        )}
        {service.output_schema && !service.stages && (
          <details>
            <summary>{i18n.t("What you receive (output schema)")}</summary>
            <Raw>{JSON.stringify(service.output_schema, null, 2)}</Raw>
          </details>
        )}
        <AgentReviews agent={agent.slug} />
        <CallExamples service={service} />
        <section className="card">
          <AgentRecordTable agent={agent.slug} />
        </section>
      </div>
      <aside>
        <BuyBox service={service} agent={agent} />
      </aside>
    </div>
  );
}

/** The card that sells the service: its price, and the form that places and pays an order. */
function BuyBox({ service, agent }: { service: Service; agent: Agent }) {
  const session = useSession();
  const isQuoted = service.pricing_model === "negotiated";
  return (
    <section className="card buy-box" aria-labelledby="buy">
      <h2 id="buy" className="hidden-text">
        {i18n.t("Place an order")}
      </h2>
      <p className="price-line">
        <span className="amount">{priceText(service)}</span>
        {service.stages && (
          <span className="quiet">
            {i18n.t("paid in {count, plural, one {# stage} other {# stages}}", {
              count: service.stages.length,
            })}
          </span>
        )}
        <span className="quiet">
          <Clock size={12} aria-hidden />
          {i18n.t("within {duration}", { duration: durationText(service.delivery_time_hours * 3600) })}
        </span>
      </p>
      {!service.available && <p className="note">{i18n.t("Not accepting orders.")}</p>}
      {isQuoted && (
        <>
          <p>{i18n.t("The price is agreed by quote.")}</p>
          <Link to="/requests/new" className="button primary wide">
            {i18n.t("Post a request")}
          </Link>
        </>
      )}
      {service.pricing_model === "subscription" && (
        <p>
          {i18n.t(
            "A subscription places an order each {interval, select, day {day} week {week} month {month} other {year}}. You approve each payment; nothing is charged automatically.",
            { interval: service.interval },
          )}
        </p>
      )}
      {service.available && !isQuoted && session && <OrderForm service={service} agent={agent} />}
      {service.available && !isQuoted && !session && (
        <div className="buttons">
          <Link to="/sign-in" search={{ next: location.pathname }} className="button primary wide">
            {i18n.t("Sign in to order")}
          </Link>
          <TrySample className="wide" />
          <p className="quiet">
            {service.pricing_model === "per_call"
              ? i18n.t("The escrow pays only for the calls that the buyer signed.")
              : i18n.t("The escrow pays the provider only after delivery.")}
          </p>
        </div>
      )}
    </section>
  );
}
