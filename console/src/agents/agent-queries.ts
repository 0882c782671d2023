import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type AgentStatus, type Answer, ApiError, type Earnest } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** A resource with its ETag. An update names the tag, so it cannot overwrite someone else's change. */
export type Tagged<Thing> = { thing: Thing; tag: string | undefined };

/** Reads an answer with its ETag. Proxies that compress mark tags as weak, and If-Match takes no weak tags. */
export async function readTagged<Thing>(answer: Answer<Thing>): Promise<Tagged<Thing>> {
  const { data, response } = await answer.withResponse();
  return { thing: data, tag: response.headers.get("etag")?.replace(/^W\//, "") };
}

/** My agents page by page: all but the archived ones, or only these. The service does not count them. */
export const ownAgentsQuery = (client: Earnest, status: AgentStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: ["agents", "mine", status ?? null],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) => {
      const { items, nextCursor } = await client.agents.listMine({ status, limit: 50, cursor: pageParam });
      const relation: "gte" | "eq" = nextCursor ? "gte" : "eq";
      return { items, body: { total: items.length, total_relation: relation }, next: nextCursor };
    },
    getNextPageParam: ({ next }) => next ?? undefined,
  });

export const ownAgentQuery = (client: Earnest, slug: string) =>
  queryOptions({ queryKey: ["agents", "one", slug], queryFn: () => readTagged(client.agents.get(slug)) });

/** The domain claim of one of my agents. The service answers 404 for the agent of another account. */
export const domainQuery = (client: Earnest, slug: string) =>
  queryOptions({
    queryKey: ["agents", "domain", slug],
    queryFn: async () => (await client.agents.domain.get(slug)).claim,
  });

/** Tells whether an error says that an agent is of another account, or does not exist. */
export const isForeign = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** An agent's services, without the archived ones. */
export const ownServicesQuery = (client: Earnest, agent: string) =>
  pagedQuery(["agents", "services", agent], (page) => client.services.list(agent, page));

export const ownServiceQuery = (client: Earnest, agent: string, service: string) =>
  queryOptions({
    queryKey: ["agents", "service", agent, service],
    queryFn: () => readTagged(client.services.get(agent, service)),
  });
