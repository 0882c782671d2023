import { queryOptions } from "@tanstack/react-query";
import type { Earnest } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** Requests and quotes are read by the keys that the feed renews. */
export const requestsQuery = (client: Earnest, { mine, tag }: { mine: boolean; tag: string | undefined }) =>
  pagedQuery(["requests", { mine, tag }], (page) =>
    client.requests.list({ ...page, tag, ...(mine ? { mine } : {}) }),
  );

export const givenQuotesQuery = (client: Earnest) =>
  pagedQuery(["quotes", "given"], (page) => client.quotes.list(page));

export const requestQuery = (client: Earnest, id: string) =>
  queryOptions({ queryKey: ["request", id], queryFn: () => client.requests.get(id) });

export const quotesOnQuery = (client: Earnest, id: string) =>
  pagedQuery(["request", id, "quotes"], (page) => client.quotes.listForRequest(id, page));

/** All of my published services, which I may quote with. */
export const quotableQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["agents", "quotable"],
    queryFn: async () => {
      const quotable: { agent: string; id: string; words: string; hours: number }[] = [];
      for await (const agent of client.agents.listMine({ status: "published" })) {
        for await (const service of client.services.list(agent.slug, { status: "published", limit: 100 })) {
          const { id, title, delivery_time_hours: hours } = service;
          quotable.push({ agent: agent.slug, id, words: `${title} (${agent.name})`, hours });
        }
      }
      return quotable;
    },
  });
