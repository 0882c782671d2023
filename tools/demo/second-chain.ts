import { createWalletClient, http, type LocalAccount } from "viem";
import type { Earnest, Service, ServiceRequest } from "../../clients/typescript/src/index.ts";
import { issuerOf } from "../../clients/typescript/src/receipts.ts";
import { secondChain } from "../stack/local-chains.ts";
import { showReceipt } from "./receipt.ts";
import { dealTestToken } from "./test-money.ts";
import { countText, sampleInput, textStatistics } from "./text-statistics.ts";
import { timeLimit } from "./time-limit.ts";

export type SecondChainOptions = {
  /** the parties, each with a key for orders and webhooks:read */
  provider: Earnest;
  buyer: Earnest;
  accounts: { provider: LocalAccount; buyer: LocalAccount };
  /** the slug of the agent, and its published service */
  slug: string;
  service: Service;
  /** a node of the second chain */
  rpcUrl: string;
  publicUrl: string;
  step: (title: string) => void;
  say: (text: string) => void;
};

/** Returns the tokens for a price in USD on all chains; null if the service has no second local chain. */
export async function findOffers(
  provider: Earnest,
): Promise<Pick<ServiceRequest, "accepts" | "price_currency"> | null> {
  const { items } = await provider.chain.list();
  if (!items.some(({ chain_id }) => chain_id === secondChain.chainId)) return null;
  const accepts = items.flatMap(({ chain_id, tokens }) =>
    tokens.filter(({ currency }) => currency === "USD").map(({ address: token }) => ({ chain_id, token })),
  );
  return { accepts, price_currency: "USD" };
}

/** Buys the service again, and pays with a token of 18 decimals on the second chain by a signature. */
export async function buyOnSecondChain(options: SecondChainOptions): Promise<void> {
  const { provider, buyer, accounts, slug, service, rpcUrl, publicUrl, step, say } = options;
  const transport = http(rpcUrl);
  const wallet = createWalletClient({ account: accounts.buyer, transport, pollingInterval: 100 });
  const offered = service.accepts.find(
    ({ chain_id, decimals }) => chain_id === secondChain.chainId && decimals === 18,
  );
  if (!offered) throw new Error("The second chain has no token of 18 decimals.");
  const { chain_id: chainId, token, symbol } = offered;

  step(`The buyer buys again, and pays with ${symbol} on the second chain (chain ${chainId})`);
  const purchase = await buyer.buy(service, sampleInput, {
    wallet,
    payWith: { chainId, token, maxAmount: "2.50" },
    issuer: issuerOf(publicUrl),
    signal: timeLimit("The second order was not funded"),
    async onProgress(progress) {
      if (progress.step === "agreed") {
        const { order, agreed } = progress;
        say(`order    ${order.id} (${order.reference}), ${order.total_amount} ${symbol}: ${order.status}`);
        await dealTestToken({ ...agreed, wallet, say });
      } else if (progress.step === "funded") {
        say("the order is funded: three blocks of the second chain confirm it");
      }
    },
  });

  step("The provider delivers, and the buyer accepts by a signature");
  const stop = new AbortController();
  const serving = provider.serve(
    slug,
    { [textStatistics.slug]: countText },
    {
      wallet: createWalletClient({ account: accounts.provider, transport }),
      tokens: [{ chainId, token }],
      signal: stop.signal,
      onError: (error) => say(`the provider: ${error}`),
    },
  );
  try {
    const delivered = purchase.delivery({ signal: timeLimit("The second order was not delivered") });
    const ended = serving.then(() => Promise.reject(new Error("The provider stopped.")));
    await Promise.race([delivered, ended]);
  } finally {
    stop.abort();
    await serving;
  }
  const receipt = await purchase.accept({ signal: timeLimit("The second order was not released") });
  say(`the order is ${purchase.order.status}, completed at ${purchase.order.completed_at}`);
  await showReceipt(receipt, { buyer, publicUrl, rpcUrl, say });
}
