import * as z from "zod";

/** The part of the answer of `GET /chains` that a verifier needs. */
export const servedChainsAnswer = z.looseObject({
  items: z
    .array(
      z.looseObject({
        chain_id: z.int().positive(),
        network_name: z.string(),
        escrow_contract: z.string(),
      }),
    )
    .max(100),
});

/** A chain on which an installation settles, as the installation lists it. */
export type ServedChain = z.infer<typeof servedChainsAnswer>["items"][number];

/** Names a chain, as in `Base (eip155:8453)`. */
export const nameChain = ({ network_name, chain_id }: ServedChain) => `${network_name} (eip155:${chain_id})`;

/** Returns a sentence for each listed chain that has no node, so that nothing on it is checked. */
export function findUnchecked(chains: readonly ServedChain[], nodes: readonly { chainId: number }[]) {
  return chains
    .filter(({ chain_id }) => !nodes.some(({ chainId }) => chainId === chain_id))
    .map((chain) => ({
      chain: `eip155:${chain.chain_id}`,
      what: `The installation settles on ${nameChain(chain)}, which has no node: give the URL of one by another --rpc.`,
    }));
}
