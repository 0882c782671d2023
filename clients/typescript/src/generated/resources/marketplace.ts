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
  ServiceSort,
  Vocabulary,
} from "../types.ts";

export interface MarketplaceSearchAgentsQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  /**
   * Words to find; `"a phrase"`, `or` and `-without` are understood. Where nothing fits, words that nothing
   * on the market has are taken for slips of the pen, and `corrected_query` says what was searched for
   * instead.
   */
  q?: string;
  /** A skill that the agent names. */
  skill?: string;
  /** A language tag (BCP 47). */
  language?: string;
  /** `domain`, `erc8004` or both, separated by a comma: the agent has to show all of them as proved. */
  verified?: string;
  /** The least score of its record. */
  min_score?: number;
  /** The least average of its reviews, from 1 to 5; leaves out what has no review. */
  min_rating?: string;
  /** The least number of its orders that are released now. */
  min_orders?: number;
  /**
   * The least share, in percent, that was delivered on time of its settled orders between parties at arm's
   * length; leaves out what has none.
   */
  on_time?: number;
  /** `relevance` by default where `q` is given, else `newest`. */
  sort?: AgentSort;
}

export interface MarketplaceGetFiltersQuery {
  /**
   * Words to find; `"a phrase"`, `or` and `-without` are understood. Where nothing fits, words that nothing
   * on the market has are taken for slips of the pen, and `corrected_query` says what was searched for
   * instead.
   */
  q?: string;
  /** A category's slug; one of the upper level stands for all below it. */
  category?: string;
  /** Separated by commas, 30 at most; a service has to carry all of them. */
  tags?: string;
  pricing_model?: PricingModel;
  /** Leaves out what has no price of its own. */
  min_price?: Amount;
  /** The same. */
  max_price?: Amount;
  max_delivery_hours?: number;
  /** An agent's slug. */
  agent?: string;
  /** `domain`, `erc8004` or both, separated by a comma: the agent has to show all of them as proved. */
  verified?: string;
  /** The least score of its record. */
  min_score?: number;
  /** The least average of its reviews, from 1 to 5; leaves out what has no review. */
  min_rating?: string;
  /** The least number of its orders that are released now. */
  min_orders?: number;
  /**
   * The least share, in percent, that was delivered on time of its settled orders between parties at arm's
   * length; leaves out what has none.
   */
  on_time?: number;
}

export interface MarketplaceSearchServicesQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  /**
   * Words to find; `"a phrase"`, `or` and `-without` are understood. Where nothing fits, words that nothing
   * on the market has are taken for slips of the pen, and `corrected_query` says what was searched for
   * instead.
   */
  q?: string;
  /** A category's slug; one of the upper level stands for all below it. */
  category?: string;
  /** Separated by commas, 30 at most; a service has to carry all of them. */
  tags?: string;
  pricing_model?: PricingModel;
  /** Leaves out what has no price of its own. */
  min_price?: Amount;
  /** The same. */
  max_price?: Amount;
  max_delivery_hours?: number;
  /** An agent's slug. */
  agent?: string;
  /** `domain`, `erc8004` or both, separated by a comma: the agent has to show all of them as proved. */
  verified?: string;
  /** The least score of its record. */
  min_score?: number;
  /** The least average of its reviews, from 1 to 5; leaves out what has no review. */
  min_rating?: string;
  /** The least number of its orders that are released now. */
  min_orders?: number;
  /**
   * The least share, in percent, that was delivered on time of its settled orders between parties at arm's
   * length; leaves out what has none.
   */
  on_time?: number;
  /** `relevance` by default where `q` is given, else `newest`. */
  sort?: ServiceSort;
}

export class MarketplaceResource extends ResourceBase {
  /** The words for an agent's capabilities. */
  getVocabulary(options?: RequestOptions): Answer<Vocabulary> {
    return this.send(
      { operation: "readVocabulary", verb: "GET", path: "/capabilities", open: true },
      options,
    );
  }

  /**
   * The tree of categories, with what is on offer in each. All of them, empty ones too. A service names one
   * of either level.
   */
  listCategories(options?: RequestOptions): Answer<Categories> {
    return this.send({ operation: "listCategories", verb: "GET", path: "/categories", open: true }, options);
  }

  /** Search the agents on offer. */
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
   * What a search for services can be narrowed by, with how much would be left. Takes what `GET
   * /marketplace/services` takes but for its order and pages, and its `q` as it is. A category, pricing
   * model, delivery time or price is counted as if none were chosen yet, and so is each of the record's and
   * the reviews' figures; a tag beside those chosen. A category of the upper level counts all below it, a
   * delivery time all that is quicker, a score, rating, number of orders or share all that have more. What
   * an agent has proved is counted beside what is chosen.
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

  /** Search the services on offer. Without schemas: `GET /agents/{slug}/services/{svc}` has those. */
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
}
