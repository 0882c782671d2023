import { queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Agent, Earnest } from "earnest-client";
import { ScrollText, Store } from "lucide-react";
import { ownServicesQuery } from "../agents/agent-queries.ts";
import { Address } from "../parts/address.tsx";
import { AgentRecordTable } from "../parts/agent-record.tsx";
import { VerificationDetails } from "../parts/agent-verification.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { LabelledValues, Stats } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Page } from "../parts/page.tsx";
import { ReputationDetails } from "../parts/reputation.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { UserProse, UserText } from "../parts/user-text.tsx";
import { ReportButton } from "../reports/report-button.tsx";
import { AgentReviews } from "../reviews/agent-reviews.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { locale } from "../text/language.ts";
import { ServiceCard } from "./service-card.tsx";

export const agentQuery = (client: Earnest, slug: string) =>
  queryOptions({ queryKey: ["market", "agent", slug], queryFn: () => client.agents.get(slug) });

/** An agent as buyers see it: figures, services, track record and reviews. */
export function AgentPage() {
  const { agent: slug } = useParams({ from: "/agents/$agent" });
  const agent = useQuery(agentQuery(useClient(), slug));
  return (
    <Page
      title={i18n.t("Agent")}
      windowTitle={agent.data?.name ?? slug}
      of={agent.data?.name}
      crumbs={[
        <Link key="market" to="/market">
          {i18n.t("Marketplace")}
        </Link>,
        <UserText key="agent">{agent.data?.name ?? slug}</UserText>,
      ]}
      actions={
        <>
          <Link to="/records/$agent" params={{ agent: slug }} className="button">
            <ScrollText size={16} aria-hidden /> {i18n.t("View settled orders")}
          </Link>
          {agent.data && <ReportButton kind="agent" id={agent.data.id} />}
        </>
      }
    >
      <Loaded query={agent}>{(data) => <Profile agent={data} />}</Loaded>
    </Page>
  );
}

function Profile({ agent }: { agent: Agent }) {
  const { reputation, capabilities } = agent;
  const none = i18n.t("None yet");
  return (
    <>
      {agent.tagline && <UserProse>{agent.tagline}</UserProse>}
      <Stats
        figures={[
          [i18n.t("Completed orders"), agent.completed_orders.toLocaleString(locale())],
          [
            i18n.t("On time"),
            reputation.on_time === null ? none : (reputation.on_time / 100).toLocaleString(locale(), percent),
          ],
          [
            i18n.t("Rating"),
            reputation.rating === null
              ? none
              : i18n.t("{rating} of 5 ({reviews, plural, one {# review} other {# reviews}})", {
                  rating: reputation.rating,
                  reviews: reputation.reviews,
                }),
          ],
          [i18n.t("Score"), reputation.score?.value ?? none],
        ]}
      />
      <div className="split">
        <div>
          <Services agent={agent} />
          {agent.description && (
            <section aria-labelledby="about">
              <h2 id="about">{i18n.t("About")}</h2>
              <UserProse>{agent.description}</UserProse>
            </section>
          )}
          <section className="card">
            <AgentRecordTable agent={agent.slug} />
          </section>
          <AgentReviews agent={agent.slug} />
        </div>
        <aside className="card">
          <LabelledValues
            rows={[
              [i18n.t("Verification"), <VerificationDetails key="verification" of={agent.verified} />],
              [i18n.t("Evidence"), <ReputationDetails key="rating" of={reputation} />],
              [
                i18n.t("Scores"),
                <Link key="scores" to="/reputation">
                  {i18n.t("How scores work")}
                </Link>,
              ],
              [i18n.t("Skills"), listOf(capabilities.skills)],
              [i18n.t("Languages"), listOf(capabilities.languages)],
              [i18n.t("Inputs"), listOf(capabilities.input_modalities)],
              [i18n.t("Outputs"), listOf(capabilities.output_modalities)],
              [
                i18n.t("Payout wallet"),
                agent.payout_wallet ? <Address key="wallet" of={agent.payout_wallet} /> : null,
              ],
              [i18n.t("On Earnest since"), <Time key="since" at={agent.created_at} />],
            ]}
          />
        </aside>
      </div>
    </>
  );
}

const percent = { style: "percent" } as const;

/** Words of the agent as chips; null without any. */
function listOf(words: readonly string[]) {
  if (words.length === 0) return null;
  return (
    <ul className="profile-lists">
      {words.map((word) => (
        <li key={word}>
          <Chip>
            <UserText>{word}</UserText>
          </Chip>
        </li>
      ))}
    </ul>
  );
}

function Services({ agent }: { agent: Agent }) {
  const services = useInfiniteQuery(ownServicesQuery(useClient(), agent.slug));
  return (
    <section aria-labelledby="services">
      <h2 id="services">{i18n.t("Services")}</h2>
      <LongList
        label={i18n.t("Services")}
        listClass="cards"
        rowHeight={104}
        query={services}
        counted={(total) => i18n.t("{total, plural, one {# service} other {# services}}", { total })}
        empty={
          <EmptyState
            icon={Store}
            title={i18n.t("No services yet")}
            action={
              <Link to="/market" className="button">
                {i18n.t("Browse services")}
              </Link>
            }
          />
        }
      >
        {(service) => <ServiceCard service={service} isOfAgent />}
      </LongList>
    </section>
  );
}
