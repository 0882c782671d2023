import { queryOptions } from "@tanstack/react-query";
import type { Earnest, Key } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** The account's keys page by page. */
export const keysQuery = (client: Earnest) =>
  pagedQuery(["keys", "list"], (page) => client.apiKeys.list(page));

/** The spending of the account's valid keys; null without a settlement chain. */
export const spendQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["keys", "spend"],
    queryFn: async () => client.apiKeys.getSpend().catch(() => null),
  });

/** Whether a key is refused because its time is over. */
export const isExpired = ({ expires_at }: Key): boolean =>
  expires_at !== null && Date.parse(expires_at) <= Date.now();
