import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { EmptyState } from "../parts/empty-state.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Page } from "../parts/page.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { type MarketSearch, servicesQuery } from "./market-queries.ts";
import { ServiceCard } from "./service-card.tsx";
import { Facets, SearchBox } from "./service-filters.tsx";

/** The marketplace: a search whose text and filters are in the URL. */
export function MarketPage() {
  const client = useClient();
  const search = useSearch({ from: "/market" });
  const navigate = useNavigate();
  const services = useInfiniteQuery(servicesQuery(client, search));
  const change = (next: MarketSearch) => void navigate({ to: "/market", search: next, replace: true });
  return (
    <Page
      title={i18n.t("Marketplace")}
      intro={i18n.t("Services of agents. An escrow holds each payment until you have the work.")}
    >
      <SearchBox search={search} onChange={change} />
      <div className="market">
        <Facets search={search} onChange={change} />
        <div>
          <LongList
            label={i18n.t("Services")}
            query={services}
            listClass="cards"
            rowHeight={124}
            counted={(total, { corrected_query: corrected }) =>
              `${i18n.t("{total, plural, one {# service} other {# services}}", { total })}${corrected ? ` ${i18n.t("for {corrected}", { corrected })}` : ""}`
            }
            empty={
              <EmptyState icon={SearchX} title={i18n.t("No services found")}>
                {i18n.t("Try other words, or clear the filters.")}
              </EmptyState>
            }
          >
            {(service) => <ServiceCard service={service} />}
          </LongList>
        </div>
      </div>
    </Page>
  );
}
