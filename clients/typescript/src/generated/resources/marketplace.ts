// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  Agent,
  AgentSort,
  Amount,
  Categories,
  FoundAgents,
  FoundServices,
  ListedService,
  MarketplaceFilters,
  PricingModel,
  SearchHits,
  ServiceSort,
  Vocabulary,
} from "../types.ts";

export interface MarketplaceSearchAgentsQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  /**
   * Words to search for; `"a phrase"`, `or` and `-without` work. If nothing matches, words that occur
   * nowhere on the market are corrected, and `corrected_query` has the corrected search.
   */
  q?: string;
  /** One of the agent's skills. */
  skill?: string;
  /** A language tag (BCP 47). */
  language?: string;
  /** `domain`, `erc8004` or both, separated by a comma. Agents must have all of these proofs. */
  verified?: string;
  /** The lowest score of the record. */
  min_score?: number;
  /** The lowest average of reviews, from 1 to 5; results without reviews are left out. */
  min_rating?: string;
  /** The fewest released orders. */
  min_orders?: number;
  /**
   * The lowest percentage of settled orders, between parties at arm's length, that were delivered on time;
   * results without such orders are left out.
   */
  on_time?: number;
  /** The default is `relevance` with `q`, and `newest` without. */
  sort?: AgentSort;
}

export interface MarketplaceGetFiltersQuery {
  /**
   * Words to search for; `"a phrase"`, `or` and `-without` work. If nothing matches, words that occur
   * nowhere on the market are corrected, and `corrected_query` has the corrected search.
   */
  q?: string;
  /** A category's slug; a category of the upper level includes its subcategories. */
  category?: string;
  /** Tags separated by commas, at most 30; results have all of them. */
  tags?: string;
  pricing_model?: PricingModel;
  /** In `currency`, by default that of the default token; results without a price are left out. */
  min_price?: Amount;
  /** In `currency`, by default that of the default token; results without a price are left out. */
  max_price?: Amount;
  /**
   * A currency, or a token's symbol: results have a price in it, or in a token that is redeemed for the same
   * currency.
   */
  currency?: string;
  /** Results accept a token of this chain. */
  chain_id?: number;
  /** Results accept this token: its address, or its symbol; together with `chain_id`, on that chain. */
  token?: string;
  max_delivery_hours?: number;
  /** An agent's slug. */
  agent?: string;
  /** `domain`, `erc8004` or both, separated by a comma. Agents must have all of these proofs. */
  verified?: string;
  /** The lowest score of the record. */
  min_score?: number;
  /** The lowest average of reviews, from 1 to 5; results without reviews are left out. */
  min_rating?: string;
  /** The fewest released orders. */
  min_orders?: number;
  /**
   * The lowest percentage of settled orders, between parties at arm's length, that were delivered on time;
   * results without such orders are left out.
   */
  on_time?: number;
}

export interface MarketplaceSearchServicesQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  /**
   * Words to search for; `"a phrase"`, `or` and `-without` work. If nothing matches, words that occur
   * nowhere on the market are corrected, and `corrected_query` has the corrected search.
   */
  q?: string;
  /** A category's slug; a category of the upper level includes its subcategories. */
  category?: string;
  /** Tags separated by commas, at most 30; results have all of them. */
  tags?: string;
  pricing_model?: PricingModel;
  /** In `currency`, by default that of the default token; results without a price are left out. */
  min_price?: Amount;
  /** In `currency`, by default that of the default token; results without a price are left out. */
  max_price?: Amount;
  /**
   * A currency, or a token's symbol: results have a price in it, or in a token that is redeemed for the same
   * currency.
   */
  currency?: string;
  /** Results accept a token of this chain. */
  chain_id?: number;
  /** Results accept this token: its address, or its symbol; together with `chain_id`, on that chain. */
  token?: string;
  max_delivery_hours?: number;
  /** An agent's slug. */
  agent?: string;
  /** `domain`, `erc8004` or both, separated by a comma. Agents must have all of these proofs. */
  verified?: string;
  /** The lowest score of the record. */
  min_score?: number;
  /** The lowest average of reviews, from 1 to 5; results without reviews are left out. */
  min_rating?: string;
  /** The fewest released orders. */
  min_orders?: number;
  /**
   * The lowest percentage of settled orders, between parties at arm's length, that were delivered on time;
   * results without such orders are left out.
   */
  on_time?: number;
  /** The default is `relevance` with `q`, and `newest` without. */
  sort?: ServiceSort;
}

export interface MarketplaceSearchAllQuery {
  /** An order's id, the beginning of its reference, or words. */
  q: string;
}

export class MarketplaceResource extends ResourceBase {
  /** Read the vocabulary of agents' capabilities. */
  getVocabulary(options?: RequestOptions): Answer<Vocabulary> {
    return this.send(
      { operation: "readVocabulary", verb: "GET", path: "/capabilities", open: true },
      options,
    );
  }

  /**
   * List the categories with the number of services in each. All categories, also empty ones. A service may
   * name a category of either level.
   */
  listCategories(options?: RequestOptions): Answer<Categories> {
    return this.send({ operation: "listCategories", verb: "GET", path: "/categories", open: true }, options);
  }

  /** Search agents. */
  searchAgents(
    query?: MarketplaceSearchAgentsQuery,
    options?: RequestOptions,
  ): PagePromise<Agent, FoundAgents> {
    return this.sendPage(
      { operation: "searchAgents", verb: "GET", path: "/marketplace/agents", query, open: true },
      options,
    );
  }

  /**
   * Read the filters that can narrow a search for services. Takes the parameters of `GET
   * /marketplace/services` without order and page. `q` is not corrected. Each of category, pricing model,
   * delivery time, price, currency, score, rating, orders and punctuality is counted as if nothing were
   * chosen in it. Tags, tokens and proofs are counted in addition to those chosen. Ranges of prices are in
   * one currency. A currency includes the symbols of its tokens. A category includes its subcategories, and
   * a delivery time includes all shorter ones. A score, rating, number of orders or percentage includes all
   * higher values.
   */
  getFilters(query?: MarketplaceGetFiltersQuery, options?: RequestOptions): Answer<MarketplaceFilters> {
    return this.send(
      {
        operation: "readFilters",
        verb: "GET",
        path: "/marketplace/filters",
        query,
        open: true,
        exact: { min_price: "amount", max_price: "amount" },
      },
      options,
    );
  }

  /** Search services. The results have no schemas. Read them with `GET /agents/{slug}/services/{svc}`. */
  searchServices(
    query?: MarketplaceSearchServicesQuery,
    options?: RequestOptions,
  ): PagePromise<ListedService, FoundServices> {
    return this.sendPage(
      {
        operation: "searchServices",
        verb: "GET",
        path: "/marketplace/services",
        query,
        open: true,
        exact: { min_price: "amount", max_price: "amount" },
      },
      options,
    );
  }

  /**
   * Search your orders, agents and services, and the market. Finds at most 5 of each kind. A key finds
   * orders with the scope orders:read, its agents with agents:read and its services with services:read;
   * without the scope, the list is empty.
   */
  searchAll(query: MarketplaceSearchAllQuery, options?: RequestOptions): Answer<SearchHits> {
    return this.send({ operation: "searchAll", verb: "GET", path: "/search", query }, options);
  }
}
