import { LRUCache } from "lru-cache";
import type { Address, PublicClient } from "viem";
import { hasAuthorizations } from "../protocol/settlement/authorizations.ts";
import type { TokenMethod } from "../protocol/settlement/vocabulary.ts";
import { permit2Address, permit2ProxyAddress, uptoProxyAddress } from "../protocol/settlement/x402.ts";
import type { Context } from "./context.ts";
import { callWithBreaker, chainUnreachable, isNodeUnreachable } from "./node-breaker.ts";

/** Milliseconds for which the payment methods of a token are cached. */
const methodsCachedFor = 600_000;
const mostTokens = 1000;
const methodsOf = new WeakMap<Pick<Context, "chain">, ReturnType<typeof createCache>>();

type TakenPayments = { methods: TokenMethod[]; takesUpto: boolean };
type TokenName = { chain_id: number; token: Address };

/**
 * Reads the payment methods of a token: `eip3009` if the token has authorizations, `permit2` if x402's proxy
 * is deployed.
 *
 * @throws Refusal `dependency_unavailable`, or viem's error, if the chain does not answer
 */
export async function readMethods(context: Pick<Context, "chain">, token: TokenName): Promise<TokenMethod[]> {
  const { methods } = await readTakenPayments(context, token);
  return methods;
}

/**
 * Reads how a token can be paid by signature. Equal questions at the same time share one read.
 *
 * @returns `takesUpto`: whether x402's proxy for the scheme `upto` is deployed, too
 * @throws as `readMethods`
 */
export async function readTakenPayments(
  context: Pick<Context, "chain">,
  token: TokenName,
): Promise<TakenPayments> {
  const served = context.chain(token.chain_id);
  if (!served) return { methods: [], takesUpto: false };
  const cache = methodsOf.get(context) ?? createCache();
  methodsOf.set(context, cache);
  const name = `${token.chain_id} ${token.token.toLowerCase()}`;
  return cache.forceFetch(name, { context: { client: served.client, token: token.token } });
}

/**
 * Reads the payment methods as `readMethods`, of a token that is one among several. See `callWithBreaker`.
 *
 * @throws Refusal `dependency_unavailable`, or viem's error, if the chain does not answer soon
 */
export async function readMethodsShortly(
  context: Pick<Context, "chain">,
  token: TokenName,
): Promise<TokenMethod[]> {
  const served = context.chain(token.chain_id);
  return served ? callWithBreaker(served.client, () => readMethods(context, token)) : [];
}

type Read = { client: PublicClient; token: Address };

function createCache() {
  return new LRUCache<string, TakenPayments, Read>({
    max: mostTokens,
    ttl: methodsCachedFor,
    fetchMethod: (_name, _stale, { context }) => readFromChain(context),
    ignoreFetchAbort: true,
  });
}

async function readFromChain({ client, token }: Read): Promise<TakenPayments> {
  const [authorizes, permit2, proxy, uptoProxy] = await Promise.all([
    // The answer is cached, so only the token's own refusal counts.
    hasAuthorizations(client, token).catch((error: unknown) => {
      throw isNodeUnreachable(error) ? error : chainUnreachable();
    }),
    client.getCode({ address: permit2Address }),
    client.getCode({ address: permit2ProxyAddress }),
    client.getCode({ address: uptoProxyAddress }),
  ]);
  const methods: TokenMethod[] = [];
  if (authorizes) methods.push("eip3009");
  if (permit2 && proxy) methods.push("permit2");
  return { methods, takesUpto: Boolean(permit2 && uptoProxy) };
}
