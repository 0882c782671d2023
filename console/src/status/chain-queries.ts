import { queryOptions } from "@tanstack/react-query";
import type { Earnest } from "earnest-client";

/** The chains of the service, with the state of each and how each token can be paid. */
export const chainsQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["chains"],
    queryFn: async () => (await client.chain.list()).items,
    staleTime: 60_000,
  });
