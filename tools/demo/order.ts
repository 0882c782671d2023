import { randomBytes } from "node:crypto";
import { createPublicClient, createWalletClient, http, type LocalAccount } from "viem";
import { Earnest, type Progress, type Scope } from "../../clients/typescript/src/index.ts";
import { issuerOf } from "../../clients/typescript/src/receipts.ts";
import type { Rail } from "../../clients/typescript/src/settlement.ts";
import { localAccounts } from "../stack/anvil.ts";
import { showOtherTrades } from "./commerce.ts";
import { findEvent } from "./events.ts";
import { exchangeFeedback } from "./feedback.ts";
import { showReceipt } from "./receipt.ts";
import { buyOnSecondChain, findOffers } from "./second-chain.ts";
import { dealTestToken } from "./test-money.ts";
import { countText, sampleInput, textStatistics } from "./text-statistics.ts";
import { timeLimit } from "./time-limit.ts";

export type DemoOptions = {
  /** the API's URL without `/api/v1` */
  baseUrl: string;
  /** the service's public URL in sign-in texts and receipts. Default: `baseUrl` */
  publicUrl?: string;
  /** a node of the order's chain, through which both wallets send */
  rpcUrl: string;
  /** a node of the second local chain, on which a second order is paid if the service has that chain */
  secondRpcUrl?: string | undefined;
  buyer?: LocalAccount;
  provider?: LocalAccount;
  /** the settlement rail of the order. Default: escrow */
  rail?: Rail;
  /** whether the agent is registered on the chain and gets feedback there (ERC-8004). Default: false */
  feedback?: boolean;
  /** whether a request, a quote and a subscription follow. Default: false */
  commerce?: boolean;
  print: (line: string) => void;
};

/**
 * Takes one sample order from the sign-in of two wallets to a verified receipt.
 *
 * @returns the order's id
 * @throws if a step is refused or takes more than three minutes, or if a receipt does not verify
 */
export async function runDemo(options: DemoOptions): Promise<string> {
  const { baseUrl, publicUrl = baseUrl, rpcUrl, rail = "escrow", print } = options;
  const buyer = openWallet(options.buyer ?? localAccounts.buyer);
  const provider = openWallet(options.provider ?? localAccounts.provider);
  const reader = createPublicClient({ transport: http(rpcUrl), pollingInterval: 100 });
  let steps = 0;
  const step = (title: string) => print(`${String(++steps).padStart(2)}. ${title}`);
  const say = (text: string) => print(`      ${text}`);

  step("Both parties sign in with their wallets and create an API key");
  const chain = await new Earnest({ baseUrl }).chain.getStatus();
  const scopes: Scope[] = ["orders:read", "orders:write", "webhooks:read"];
  if (options.commerce) scopes.push("marketplace:read", "subscriptions:read");
  const asProvider = await signIn("provider", provider, [
    "agents:read",
    "agents:write",
    "services:write",
    ...scopes,
  ]);
  const asBuyer = await signIn("buyer", buyer, scopes);

  step("The provider publishes an agent, paid to its verified wallet, with one service");
  const slug = `counter-${randomBytes(3).toString("hex")}`;
  const payee = provider.account.address;
  const agent = await asProvider.agents.create({
    slug,
    name: "Counter",
    tagline: "Counts what is in a text.",
    capabilities: { skills: ["text statistics"], languages: ["en"] },
  });
  await asProvider.agents.setPayoutWallet(slug, { address: payee });
  await asProvider.agents.publish(slug);
  say(`agent    ${agent.id} (${slug}), paid to ${payee}`);
  const offers = options.secondRpcUrl ? await findOffers(asProvider) : null;
  await asProvider.services.create(slug, { ...textStatistics, ...offers });
  const service = await asProvider.services.publish(slug, textStatistics.slug);
  say(`service  ${service.id} (${service.title}), ${service.price} ${service.price_currency}`);
  if (offers) {
    const tokens = service.accepts.map(({ symbol, chain_id }) => `${symbol} on chain ${chain_id}`);
    say(`accepts  ${tokens.join(", ")}`);
  }

  step("The buyer finds the service and orders it");
  const found = await asBuyer.marketplace.searchServices({ agent: slug });
  say(`the marketplace lists it: ${found.body.total} service of this agent`);
  const purchase = await asBuyer.buy(found.items[0] ?? service, sampleInput, {
    wallet: buyer,
    maxAmount: "2.50",
    rail,
    issuer: issuerOf(publicUrl),
    signal: timeLimit("The order was not funded"),
    onProgress: printPurchaseStep,
  });
  const { orderId } = purchase;

  step("The provider starts, does the work and delivers");
  const stop = new AbortController();
  const serving = asProvider.serve(
    slug,
    { [textStatistics.slug]: countText },
    { wallet: provider, signal: stop.signal, onError: (error) => say(`the provider: ${error}`) },
  );
  try {
    const { output, order } = await Promise.race([
      purchase.delivery({ signal: timeLimit("The order was not delivered") }),
      serving.then(() => Promise.reject(new Error("The provider stopped."))),
    ]);
    say(`output   ${JSON.stringify(output)}`);
    say(`the order is ${order.status}`);

    step("The provider signs the delivery's record, and the service relays it and pays the gas");
    const { entry } = await findEvent(asProvider, "delivery.recorded", (data) => data.order.id === orderId);
    say(`recordDelivery  ${entry.transaction?.hash}`);
    say(`if the buyer does not act, the payment is released at ${entry.data.auto_release_at}`);
  } finally {
    stop.abort();
    await serving;
  }

  step(
    rail === "x402"
      ? "The buyer accepts by a signature, and the service relays it and pays the gas"
      : "The buyer releases the escrow by its own transaction",
  );
  const receipt = await purchase.accept({
    send: rail === "escrow",
    signal: timeLimit("The order was not released"),
  });
  say(`the order is ${purchase.order.status}, completed at ${purchase.order.completed_at}`);

  step("The buyer fetches the receipt and verifies it");
  await showReceipt(receipt, { buyer: asBuyer, publicUrl, rpcUrl, say });

  step("The trail, as the API shows it");
  for await (const entry of asBuyer.orders.listTrail(orderId)) {
    const where = entry.transaction
      ? `block ${entry.transaction.block_number}, ${entry.transaction.hash}`
      : entry.id;
    say(`${entry.occurred_at}  ${entry.actor.padEnd(8)}  ${entry.type.padEnd(17)}  ${where}`);
  }
  const parties = { provider: asProvider, buyer: asBuyer, slug, step, say };
  if (options.feedback) {
    const registrationUrl = `${publicUrl}/api/v1/agents/${slug}/registration.json`;
    const wallets = { provider, buyer };
    await exchangeFeedback({ ...parties, wallets, reader, chain, registrationUrl, orderId });
  }
  if (offers && options.secondRpcUrl) {
    const accounts = { buyer: buyer.account, provider: provider.account };
    await buyOnSecondChain({ ...parties, service, accounts, rpcUrl: options.secondRpcUrl, publicUrl });
  }
  if (options.commerce) await showOtherTrades({ ...parties, service });
  return orderId;

  function openWallet(account: LocalAccount) {
    return createWalletClient({ account, transport: http(rpcUrl), pollingInterval: 100 });
  }

  /** Creates an API key by a session, ends the session, and returns a client with the key. */
  async function signIn(
    role: string,
    { account: wallet }: { account: LocalAccount },
    scopes: Scope[],
  ): Promise<Earnest> {
    const session = new Earnest({ baseUrl });
    const { host } = new URL(publicUrl);
    await session.signIn({ wallet, chainId: chain.chain_id ?? 0, host });
    const { token } = await session.apiKeys.create({ name: "sample order", scopes });
    await session.signOut();
    const client = new Earnest({ baseUrl, apiKey: token });
    const { id, auth } = await client.me();
    say(`${role.padEnd(8)} ${wallet.address} is ${id}, with a key for ${auth.scopes.join(", ")}`);
    return client;
  }

  /** Prints the steps of the purchase. */
  async function printPurchaseStep(progress: Progress): Promise<void> {
    if (progress.step === "agreed") {
      const { order, agreed } = progress;
      say(
        `order    ${order.id} (${order.reference}), ${order.total_amount} ${order.currency}: ${order.status}`,
      );
      if (rail === "x402") {
        step("The buyer's wallet signs what x402 asks for, and the service relays it and pays the gas");
        say(`deposit  ${agreed.depositAddress}, as recomputed from the agreement`);
      } else {
        step("The buyer's own wallet makes the two calls of the payment instructions");
        say(`escrow   ${agreed.escrowId} at ${agreed.escrowContract}`);
      }
      await dealTestToken({ ...agreed, wallet: buyer, say });
    } else if (progress.step === "sent") {
      say(`${progress.function.padEnd(15)} ${progress.hash}, block ${progress.blockNumber}`);
    } else if (progress.step === "signed") {
      const { id, status, transaction_hash } = progress.payment;
      say(`payment  ${id}: ${status}, ${transaction_hash ?? "not mined yet"}`);
    } else {
      say("the order is funded: the service saw it on the chain");
    }
  }
}
