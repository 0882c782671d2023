import { queryOptions } from "@tanstack/react-query";
import type { Earnest } from "earnest-client";
import { asPerson } from "../session/as-person.ts";

export const walletsQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["wallets"],
    queryFn: async () => (await client.wallets.list(asPerson)).items,
  });

/** The agents of the current account, for the wallets that they are paid at: at most the first 100. */
export const payoutsQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["agents", "payouts"],
    queryFn: async () => (await client.agents.listMine({ limit: 100 })).items,
  });
