import { queryOptions } from "@tanstack/react-query";
import type { Earnest } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** The requests page by page. The event feed refreshes the keys of requests and quotes. */
export const requestsQuery = (client: Earnest, { mine, tag }: { mine: boolean; tag: string | undefined }) =>
  pagedQuery(["requests", { mine, tag }], (page) =>
    client.requests.list({ ...page, tag, ...(mine ? { mine } : {}) }),
  );

export const sentQuotesQuery = (client: Earnest) =>
  pagedQuery(["quotes", "sent"], (page) => client.quotes.list(page));

export const requestQuery = (client: Earnest, id: string) =>
  queryOptions({ queryKey: ["request", id], queryFn: () => client.requests.get(id) });

export const quotesOnQuery = (client: Earnest, id: string) =>
  pagedQuery(["request", id, "quotes"], (page) => client.quotes.listForRequest(id, page));

/** A service that the account can quote with. */
export type Quotable = {
  agent: string;
  agentName: string;
  id: string;
  title: string;
  hours: number;
  /** the currency of the service's prices, and so of its quotes */
  currency: string;
};

/** The account's published services, which it can quote with. */
export const quotableQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["agents", "quotable"],
    queryFn: async () => {
      const quotable: Quotable[] = [];
      for await (const agent of client.agents.listMine({ status: "published" })) {
        for await (const service of client.services.list(agent.slug, { status: "published", limit: 100 })) {
          const { id, title, delivery_time_hours: hours, price_currency: currency } = service;
          quotable.push({ agent: agent.slug, agentName: agent.name, id, title, hours, currency });
        }
      }
      return quotable;
    },
  });
