import { getAddress } from "viem";
import { z } from "zod";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { secondChain } from "../../tools/stack/local-chains.ts";

/** A token of the service, with its chain's node and escrow contract. */
export type StageToken = {
  chainId: number;
  rpcUrl: string;
  contract: `0x${string}`;
  address: `0x${string}`;
  symbol: string;
  decimals: number;
};

const address = z.string().transform((text) => getAddress(text));
const chains = z.object({
  items: z.array(
    z.object({
      chain_id: z.number(),
      escrow_contract: address,
      tokens: z.array(z.object({ address, symbol: z.string(), decimals: z.number() })),
    }),
  ),
});

/** The token of services without `tokens`. */
export const usualToken = "TUSD";

/** Reads the tokens of both chains, by their symbols. */
export async function readTokens(service: {
  url: string;
  rpcUrl: string;
  secondRpcUrl: string;
}): Promise<Map<string, StageToken>> {
  const { items } = chains.parse(await (await fetch(`${service.url}${apiPath}/chains`)).json());
  const all = items.flatMap(({ chain_id: chainId, escrow_contract: contract, tokens }) => {
    const rpcUrl = chainId === secondChain.chainId ? service.secondRpcUrl : service.rpcUrl;
    return tokens.map((token) => ({ ...token, chainId, rpcUrl, contract }));
  });
  return new Map(all.map((token) => [token.symbol, token]));
}
