import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ListedService } from "earnest-client";
import { VerifiedMarks } from "../parts/agent-verification.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Page } from "../parts/page.tsx";
import { ReputationMarks } from "../parts/reputation.tsx";
import { durationText } from "../parts/time-text.ts";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { type MarketSearch, servicesQuery } from "./market-queries.ts";
import { priceText } from "./price-text.ts";
import { Filters } from "./service-filters.tsx";

/** The market: a search whose text and filters are in the URL. */
export function MarketPage() {
  const client = useClient();
  const search = useSearch({ from: "/market" });
  const navigate = useNavigate();
  const services = useInfiniteQuery(servicesQuery(client, search));
  const change = (next: MarketSearch) => void navigate({ to: "/market", search: next, replace: true });
  return (
    <Page title="Market">
      <Filters search={search} onChange={change} />
      <LongList
        label="Services"
        query={services}
        listClass="cards"
        rowHeight={112}
        counted={(total, { corrected_query }) =>
          `${total} ${total === 1 ? "service" : "services"}${corrected_query ? ` for ${corrected_query}` : ""}`
        }
      >
        {(service) => <ServiceCard service={service} />}
      </LongList>
    </Page>
  );
}

function ServiceCard({ service }: { service: ListedService }) {
  return (
    <>
      <h2>
        <Link to="/market/$agent/$service" params={{ agent: service.agent.slug, service: service.slug }}>
          <UserText>{service.title}</UserText>
        </Link>
      </h2>
      <p>
        <UserText>{service.summary ?? service.agent.name}</UserText>
      </p>
      <p>
        <strong>{priceText(service)}</strong> · delivery within{" "}
        {durationText(service.delivery_time_hours * 3600)} · <UserText>{service.agent.name}</UserText>
        <VerifiedMarks of={service.agent.verified} />
        <ReputationMarks of={service.reputation} />
        {service.completed_order_count > 0 && ` · ${service.completed_order_count} completed`}
        {!service.available && " · Not accepting orders"}
      </p>
    </>
  );
}
