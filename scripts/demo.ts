// npm run demo: one order through its life, over HTTP and with the parties' own wallets, as any user of Earnest would.
// `npm run demo -- --rail x402` pays it by a signature instead of the wallet's own transactions, `-- --feedback` goes on to
// the agent's on-chain identity and the buyer's feedback to it, `-- --commerce` to a request with a quote, a subscription
// and the payments so far.

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  type Address,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  type LocalAccount,
  parseAbi,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { readDemoConfig } from "../config/programs.ts";
import { ConfigError } from "../config.ts";
import { deriveDeposit } from "../settlement/deposit.ts";
import { type Client, createClient } from "./demo/client.ts";
import { tradeOtherwise } from "./demo/commerce.ts";
import { exchangeFeedback } from "./demo/feedback.ts";
import { checkRelease } from "./demo/receipt.ts";
import { countText, sampleInput, textStatistics } from "./demo/text-statistics.ts";
import { localAccounts } from "./stack/anvil.ts";

const rails = ["escrow", "x402"] as const;
type Rail = (typeof rails)[number];

export type DemoOptions = {
  /** where the API answers, without `/api/v1` */
  baseUrl: string;
  /** what the service calls itself, which its receipts must name; `baseUrl` unless told */
  publicUrl?: string;
  /** a node of the order's chain, through which both wallets send */
  rpcUrl: string;
  buyer?: LocalAccount;
  provider?: LocalAccount;
  /** how the order is paid; escrow unless told */
  rail?: Rail;
  /** whether the agent is registered on chain and gets feedback there (ERC-8004); not unless told */
  feedback?: boolean;
  /** whether the two go on with a request, a quote and a subscription; not unless told */
  commerce?: boolean;
  print: (line: string) => void;
};

/**
 * Takes one sample order from two wallets' sign-in to a verified receipt.
 *
 * @returns the order's id
 * @throws where a step is refused, or a receipt does not verify
 */
export async function runDemo(options: DemoOptions): Promise<string> {
  const { baseUrl, rpcUrl, print } = options;
  const buyer = options.buyer ?? localAccounts.buyer;
  const provider = options.provider ?? localAccounts.provider;
  const reader = createPublicClient({ transport: http(rpcUrl), pollingInterval: 100 });
  let steps = 0;
  const step = (title: string) => print(`${String(++steps).padStart(2)}. ${title}`);
  const say = (text: string) => print(`      ${text}`);

  step("Both parties sign in with their wallets and make themselves an API key");
  const chain = await createClient(baseUrl).get("/chain/status");
  const forCommerce = options.commerce ? ["marketplace:read", "subscriptions:read", "webhooks:read"] : [];
  const asProvider = await signIn(provider, [
    "agents:read",
    "agents:write",
    "services:write",
    "orders:read",
    "orders:write",
    ...forCommerce,
  ]);
  const asBuyer = await signIn(buyer, ["orders:read", "orders:write", ...forCommerce]);

  step("The provider publishes an agent, paid to its verified wallet, with one service");
  const slug = `counter-${randomBytes(3).toString("hex")}`;
  const agent = await asProvider.send("POST", "/agents", {
    slug,
    name: "Counter",
    tagline: "Counts what is in a text.",
    capabilities: { skills: ["text statistics"], languages: ["en"] },
  });
  await asProvider.send("PUT", `/agents/${slug}/payout-wallet`, { address: provider.address });
  await asProvider.send("POST", `/agents/${slug}/publish`);
  say(`agent    ${agent.id} (${slug}), paid to ${provider.address}`);
  const draft = await asProvider.send("POST", `/agents/${slug}/services`, textStatistics);
  const service = await asProvider.send("POST", `/agents/${slug}/services/${draft.slug}/publish`);
  say(`service  ${service.id} (${service.title}), ${service.price} ${service.price_currency}`);

  step("The buyer finds the service and orders it");
  const found = await createClient(baseUrl).get(`/marketplace/services?agent=${slug}`);
  say(`the marketplace lists it: ${found.total} service of this agent`);
  const order = await asBuyer.send("POST", "/orders", {
    service_id: found.items[0].id,
    input_payload: sampleInput,
    settlement_rail: options.rail ?? "escrow",
  });
  const path = `/orders/${order.id}`;
  say(`order    ${order.id} (${order.reference}), ${order.total_amount} ${order.currency}: ${order.status}`);

  const due = await asBuyer.get(`${path}/payment-instructions`);
  if (due.settlement_rail === "x402") await payBySignature();
  else await payByCalls();
  await waitFor("funded", async () => (await asBuyer.get(path)).status === "funded");
  say("the order is funded: the service saw it on the chain");

  step("The provider starts, does the work and delivers");
  await asProvider.send("POST", `${path}/start`);
  const { input_payload: input } = await asProvider.get(path);
  const output = countText(input);
  const delivered = await asProvider.send("POST", `${path}/deliver`, { output_payload: output });
  say(`output   ${JSON.stringify(output)}`);
  say(`the order is ${delivered.status}`);

  step("The provider signs the delivery's record, and the service relays it and pays the gas");
  const { typed_data: record } = await asProvider.get(`${path}/delivery-record`);
  await asProvider.send("POST", `${path}/delivery-record`, {
    signature: await provider.signTypedData(record),
  });
  const recorded = await waitFor("recorded on the chain", async () => findEntry("delivery.recorded"));
  say(`recordDelivery  ${recorded.transaction.hash}`);
  say(`without a word from the buyer it is released at ${recorded.data.auto_release_at}`);

  step("The buyer releases the escrow by its own transaction");
  const { actions } = await asBuyer.get(`${path}/settlement-options`);
  const release = actions.find((action: { action: string }) => action.action === "release");
  if (!release?.available) throw new Error(`The release is not available: ${release?.reason}`);
  await sendCall(buyer, release.call);
  const settled = await waitFor("released", async () => {
    const now = await asBuyer.get(path);
    return now.status === "released" && now;
  });
  say(`the order is ${settled.status}, completed at ${settled.completed_at}`);

  step("The buyer fetches the receipt and checks it, trusting nobody");
  await checkRelease({
    ...{ baseUrl, rpcUrl, reader, say },
    publicUrl: options.publicUrl ?? baseUrl,
    receipts: (await asBuyer.get(`${path}/receipts`)).items,
  });

  step("The trail, as the API shows it");
  for (const entry of (await asBuyer.get(`${path}/events`)).items) {
    const where = entry.transaction
      ? `block ${entry.transaction.block_number}, ${entry.transaction.hash}`
      : entry.id;
    say(`${entry.occurred_at}  ${entry.actor.padEnd(8)}  ${entry.type.padEnd(17)}  ${where}`);
  }
  if (options.feedback) {
    await exchangeFeedback({
      provider: { account: provider, client: asProvider },
      buyer: { account: buyer, client: asBuyer },
      ...{ reader, rpcUrl, chain, slug, waitFor, step, say },
      registrationUrl: `${options.publicUrl ?? baseUrl}/api/v1/agents/${slug}/registration.json`,
      orderId: order.id,
    });
  }
  if (options.commerce) {
    await tradeOtherwise({ provider: asProvider, buyer: asBuyer, slug, service, waitFor, step, say });
  }
  return order.id;

  async function payByCalls(): Promise<void> {
    step("The buyer's own wallet makes the two calls of the payment instructions");
    say(`escrow   ${due.escrow_id} at ${due.escrow_contract}`);
    await dealTestToken(due);
    for (const call of due.calls) await sendCall(buyer, call);
  }

  async function payBySignature(): Promise<void> {
    step("The buyer's wallet signs what x402 asks for, and the service relays it and pays the gas");
    const { depositAddress } = deriveDeposit(await asBuyer.get(`${path}/agreement`));
    const { typed_data: transfer } = due;
    if (transfer.message.to !== depositAddress)
      throw new Error("This would pay something else than was agreed.");
    say(`deposit  ${depositAddress}, as recomputed from the agreement`);
    await dealTestToken(due);
    const { payment } = await asBuyer.send("POST", `${path}/payment`, {
      signature: await buyer.signTypedData(transfer),
      authorization: transfer.message,
    });
    say(`payment  ${payment.id}: ${payment.status}, ${payment.transaction_hash ?? "not mined yet"}`);
  }

  async function signIn(account: LocalAccount, scopes: string[]): Promise<Client> {
    const anybody = createClient(baseUrl);
    const { message, nonce } = await anybody.send("POST", "/auth/nonce", {
      address: account.address,
      chain_id: chain.chain_id,
    });
    const { tokens } = await anybody.send("POST", "/auth/signin", {
      message,
      nonce,
      signature: await account.signMessage({ message }),
    });
    const session = createClient(baseUrl, tokens.access_token);
    const key = await session.send("POST", "/api-keys", { name: "sample order", scopes });
    const client = createClient(baseUrl, key.token);
    const me = await client.get("/me");
    const role = account === buyer ? "buyer" : "provider";
    say(`${role.padEnd(8)} ${me.primary_address} is ${me.id}, with a key for ${me.auth.scopes.join(", ")}`);
    return client;
  }

  /** The local chain's token is there for the taking; any other has to be in the wallet already. */
  async function dealTestToken(due: {
    token_address: Address;
    amount_base_units: string;
    token_symbol: string;
  }) {
    if (chain.chain_id !== 31_337) return;
    const hash = await createWalletClient({ account: buyer, transport: http(rpcUrl) }).writeContract({
      chain: null,
      address: due.token_address,
      abi: parseAbi(["function mint(address to, uint256 amount)"]),
      functionName: "mint",
      args: [buyer.address, BigInt(due.amount_base_units)],
    });
    await confirm("mint", hash);
  }

  async function sendCall(
    account: LocalAccount,
    call: { function: string; to: Address; data: Hex; value: string },
  ) {
    const wallet = createWalletClient({ account, transport: http(rpcUrl) });
    const { to, data, value } = call;
    await confirm(
      call.function,
      await wallet.sendTransaction({ chain: null, to, data, value: BigInt(value) }),
    );
  }

  async function confirm(name: string, hash: Hex): Promise<void> {
    const { status, blockNumber } = await reader.waitForTransactionReceipt({ hash });
    if (status !== "success") throw new Error(`The transaction ${hash} (${name}) reverted.`);
    say(`${name.padEnd(15)} ${hash}, block ${blockNumber}`);
  }

  async function findEntry(type: string) {
    const { items } = await asProvider.get(`${path}/events`);
    return items.find(
      (entry: { type: string; confirmed: boolean }) => entry.type === type && entry.confirmed,
    );
  }
}

/** Asks until the answer is a yes, a quarter of a second apart, for at most a minute. */
async function waitFor<T>(what: string, ask: () => Promise<T>): Promise<Exclude<T, false | undefined>> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const answer = await ask();
    if (answer) return answer as Exclude<T, false | undefined>;
    if (Date.now() > deadline) throw new Error(`The order was not ${what} within a minute.`);
    await sleep(250);
  }
}

function readArguments(): { rail: Rail; feedback: boolean; commerce: boolean } {
  const options = {
    rail: { type: "string" },
    feedback: { type: "boolean" },
    commerce: { type: "boolean" },
  } as const;
  const { rail = "escrow", feedback = false, commerce = false } = parseArgs({ options }).values;
  const known = rails.find((one) => one === rail);
  if (!known) throw new Error(`--rail takes ${rails.join(" or ")}, and not ${rail}.`);
  return { rail: known, feedback, commerce };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const { buyerPrivateKey, providerPrivateKey, ...config } = readDemoConfig();
    await runDemo({
      ...config,
      ...readArguments(),
      ...(buyerPrivateKey ? { buyer: privateKeyToAccount(buyerPrivateKey) } : {}),
      ...(providerPrivateKey ? { provider: privateKeyToAccount(providerPrivateKey) } : {}),
      print: console.log,
    });
  } catch (error) {
    const { message, cause } = error as Error;
    const refused = (cause as { code?: string } | undefined)?.code === "ECONNREFUSED";
    if (error instanceof ConfigError || !refused) console.error(message);
    else console.error("Nobody answers there: start Earnest first (npm start), or set BASE_URL.");
    process.exitCode = 1;
  }
}
