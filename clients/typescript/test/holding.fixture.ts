import { createPublicClient, http } from "viem";

/** A token that the service of a scene accepts. */
export type SceneToken = { chain_id: number; token: string; symbol: string; rpc_url: string };

/** The options to pay with the tokens of these symbols, each with its maximum, and a node of each chain. */
export function holdTokens(tokens: SceneToken[], symbols: string[], maxAmount: string) {
  const held = symbols.map((name) => {
    const token = tokens.find(({ symbol }) => symbol === name);
    if (!token) throw new TypeError(`The scene has no token ${name}.`);
    return token;
  });
  return {
    payWith: held.map(({ chain_id: chainId, token }) => ({ chainId, token, maxAmount })),
    node: [...new Set(held.map(({ rpc_url }) => rpc_url))].map((url) =>
      createPublicClient({ transport: http(url), pollingInterval: 100 }),
    ),
  };
}
