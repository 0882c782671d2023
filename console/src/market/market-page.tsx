import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ListedService } from "earnest-client";
import { LongList } from "../parts/long-list.tsx";
import { Page } from "../parts/page.tsx";
import { ReputeMarks } from "../parts/repute.tsx";
import { durationText } from "../parts/times.ts";
import { VerifiedMarks } from "../parts/verified.tsx";
import { Words } from "../parts/words.tsx";
import { useClient } from "../session/client.ts";
import { Filters } from "./filters.tsx";
import { priceText } from "./prices.ts";
import { type MarketSearch, servicesQuery } from "./queries.ts";

/** What is offered: found by words and by filters, which are in the page's address. */
export function MarketPage() {
  const client = useClient();
  const search = useSearch({ from: "/market" });
  const navigate = useNavigate();
  const found = useInfiniteQuery(servicesQuery(client, search));
  const change = (next: MarketSearch) => void navigate({ to: "/market", search: next, replace: true });
  return (
    <Page title="Market">
      <Filters search={search} onChange={change} />
      <LongList
        label="Services"
        query={found}
        look="cards"
        rowHeight={112}
        counted={(total, { corrected_query }) =>
          `${total} ${total === 1 ? "service" : "services"}${corrected_query ? `, for ${corrected_query}` : ""}`
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
          <Words>{service.title}</Words>
        </Link>
      </h2>
      <p>
        <Words>{service.summary ?? service.agent.name}</Words>
      </p>
      <p>
        <strong>{priceText(service)}</strong> · within {durationText(service.delivery_time_hours * 3600)} ·{" "}
        <Words>{service.agent.name}</Words>
        <VerifiedMarks of={service.agent.verified} />
        <ReputeMarks of={service.reputation} />
        {service.completed_order_count > 0 && ` · ${service.completed_order_count} done`}
        {!service.available && " · takes no orders now"}
      </p>
    </>
  );
}
