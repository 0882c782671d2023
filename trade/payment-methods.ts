import { LRUCache } from "lru-cache";
import { parseAbi, zeroHash } from "viem";
import { isContractAnswer } from "../protocol/settlement/contract-answers.ts";
import type { PaymentMethod } from "../protocol/settlement/vocabulary.ts";
import { permit2Address, permit2ProxyAddress } from "../protocol/settlement/x402.ts";
import { chainUnreachable } from "./chain-answers.ts";
import type { Context } from "./context.ts";

/** Milliseconds for which the payment methods of a chain are cached. */
const methodsCachedFor = 600_000;
const mostChains = 100;
const methodsOf = new WeakMap<Pick<Context, "chain">, LRUCache<number, PaymentMethod[]>>();

const authorizationAbi = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
]);

/**
 * Reads the payment methods of a chain's token: `eip3009` if the token has authorizations, `permit2` if x402's proxy
 * is deployed.
 *
 * @throws Refusal `dependency_unavailable`, or viem's error, if the chain does not answer
 */
export async function readMethods(
  context: Pick<Context, "chain">,
  chainId: number,
): Promise<PaymentMethod[]> {
  const cache = methodsOf.get(context) ?? new LRUCache({ max: mostChains, ttl: methodsCachedFor });
  methodsOf.set(context, cache);
  const known = cache.get(chainId);
  if (known) return known;
  const served = context.chain(chainId);
  if (!served) return [];
  const { client, chain } = served;
  const [authorizes, permit2, proxy] = await Promise.all([
    client
      .readContract({
        abi: authorizationAbi,
        address: chain.token.address,
        functionName: "authorizationState",
        args: [permit2Address, zeroHash],
      })
      .then(
        () => true,
        (error: unknown) => {
          // The answer is cached, so only the token's own refusal counts.
          if (!isContractAnswer(error)) throw chainUnreachable();
          return false;
        },
      ),
    client.getCode({ address: permit2Address }),
    client.getCode({ address: permit2ProxyAddress }),
  ]);
  const methods: PaymentMethod[] = [];
  if (authorizes) methods.push("eip3009");
  if (permit2 && proxy) methods.push("permit2");
  cache.set(chainId, methods);
  return methods;
}
