import { queryOptions } from "@tanstack/react-query";
import type { Earnest, PricingModel, ServiceSort } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** The search parameters of the page's URL. */
export type MarketSearch = {
  q?: string;
  category?: string;
  pricing?: string;
  /** the currency of prices */
  currency?: string;
  /** a token that services accept: its chain and its address, as in `8453 0x8335…` */
  token?: string;
  min?: string;
  max?: string;
  hours?: string;
  verified?: string;
  score?: string;
  rating?: string;
  orders?: string;
  ontime?: string;
  sort?: string;
};

const queryOf = ({
  q,
  category,
  pricing,
  currency,
  token,
  min,
  max,
  hours,
  verified,
  sort,
  ...minimums
}: MarketSearch) => ({
  q: q || undefined,
  category: category || undefined,
  pricing_model: (pricing || undefined) as PricingModel | undefined,
  currency: currency || undefined,
  ...tokenOf(token),
  min_price: min || undefined,
  max_price: max || undefined,
  max_delivery_hours: numberOf(hours),
  verified: verified || undefined,
  min_score: numberOf(minimums.score),
  min_rating: minimums.rating || undefined,
  min_orders: numberOf(minimums.orders),
  on_time: numberOf(minimums.ontime),
  sort: (sort || undefined) as ServiceSort | undefined,
});

function tokenOf(text: string | undefined) {
  const [, chainId, token] = /^(\d+) (0x[0-9a-fA-F]{40})$/.exec(text ?? "") ?? [];
  return chainId ? { chain_id: Number(chainId), token } : {};
}

const numberOf = (text: string | undefined) => (text ? Number(text) : undefined);

export const servicesQuery = (client: Earnest, search: MarketSearch) =>
  pagedQuery(["market", "services", search], (page) =>
    client.marketplace.searchServices({ ...queryOf(search), ...page }),
  );

export const filtersQuery = (client: Earnest, { sort: _, ...search }: MarketSearch) =>
  queryOptions({
    queryKey: ["market", "filters", search],
    queryFn: () => client.marketplace.getFilters(queryOf(search)),
  });

/** A published service with its schemas, and its agent. */
export const offerQuery = (client: Earnest, agentSlug: string, serviceSlug: string) =>
  queryOptions({
    queryKey: ["market", "offer", agentSlug, serviceSlug],
    queryFn: async () => {
      const [service, agent] = await Promise.all([
        client.services.get(agentSlug, serviceSlug),
        client.agents.get(agentSlug),
      ]);
      return { service, agent };
    },
  });
