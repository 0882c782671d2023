import { LRUCache } from "lru-cache";
import type { Address } from "viem";
import { hasAuthorizations } from "../protocol/settlement/authorizations.ts";
import type { PaymentMethod } from "../protocol/settlement/vocabulary.ts";
import { permit2Address, permit2ProxyAddress } from "../protocol/settlement/x402.ts";
import { chainUnreachable } from "./chain-answers.ts";
import type { Context } from "./context.ts";

/** Milliseconds for which the payment methods of a token are cached. */
const methodsCachedFor = 600_000;
const mostTokens = 1000;
const methodsOf = new WeakMap<Pick<Context, "chain">, LRUCache<string, PaymentMethod[]>>();

/**
 * Reads the payment methods of a token: `eip3009` if the token has authorizations, `permit2` if x402's proxy
 * is deployed.
 *
 * @throws Refusal `dependency_unavailable`, or viem's error, if the chain does not answer
 */
export async function readMethods(
  context: Pick<Context, "chain">,
  { chain_id: chainId, token }: { chain_id: number; token: Address },
): Promise<PaymentMethod[]> {
  const cache = methodsOf.get(context) ?? new LRUCache({ max: mostTokens, ttl: methodsCachedFor });
  methodsOf.set(context, cache);
  const name = `${chainId} ${token.toLowerCase()}`;
  const known = cache.get(name);
  if (known) return known;
  const served = context.chain(chainId);
  if (!served) return [];
  const { client } = served;
  const [authorizes, permit2, proxy] = await Promise.all([
    // The answer is cached, so only the token's own refusal counts.
    hasAuthorizations(client, token).catch(() => {
      throw chainUnreachable();
    }),
    client.getCode({ address: permit2Address }),
    client.getCode({ address: permit2ProxyAddress }),
  ]);
  const methods: PaymentMethod[] = [];
  if (authorizes) methods.push("eip3009");
  if (permit2 && proxy) methods.push("permit2");
  cache.set(name, methods);
  return methods;
}
