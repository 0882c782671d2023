import { eq } from "drizzle-orm";
import type { Address, Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount, toAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { escrow, readIndexedBlocks } from "../../../db/chain-index.ts";
import { digestOf } from "../../../protocol/settlement/terms.ts";
import { type Answer, createKey, expectStatus, publishService, signIn } from "../../harness/api.ts";
import { deployWallet } from "../../harness/contract-wallet.ts";
import { placeOrder } from "../../harness/flows/x402-order.ts";
import { until } from "../../harness/jobs/ledger.ts";
import { type PaymentBench, startPaymentBench } from "../../harness/jobs/payments.ts";

type Order = Answer["body"];
/** A party: its key, and its signer. */
type Party = { key: string; account: { address: Address; signTypedData(data: never): Promise<Hex> } };

let bench: PaymentBench;
let patron: Awaited<ReturnType<PaymentBench["newPatron"]>>;
let buyer: Party;
let provider: Party;
const price = 2_500_000n;

beforeAll(async () => {
  // Orders are placed by the service's clock, far behind the chain's clock that these tests move.
  bench = await startPaymentBench({ FUNDING_WINDOW_SECONDS: "2592000" });
  patron = await bench.newPatron();
  const { market } = bench;
  buyer = { key: market.buyerKey, account: market.buyer.account };
  provider = { key: market.providerKey, account: market.provider.account };
});
afterAll(() => bench?.close());

const ask = (who: Party, method: "GET" | "POST", order: Order, what: string, body?: unknown) =>
  bench.ask(method, order, what, body, who.key);

async function placeFunded(): Promise<Order> {
  const order = await placeOrder(bench.market, { settlement_rail: "escrow" });
  await bench.fundDirectly(order, patron);
  return bench.reach(order, "funded");
}

async function deliver(order: Order, translation: string, who = provider): Promise<void> {
  expectStatus(200, await ask(who, "POST", order, "deliver", { output_payload: { translation } }));
}

async function placeDelivered(): Promise<Order> {
  const order = await placeFunded();
  expectStatus(200, await ask(provider, "POST", order, "start"));
  await deliver(order, "Good");
  return order;
}

/** The body that relays an act: the party's signature of the API's typed data. */
async function sign(who: Party, order: Order, what: string): Promise<Record<string, unknown>> {
  const { typed_data } = expectStatus(200, await ask(who, "GET", order, what));
  const signature = await who.account.signTypedData(typed_data as never);
  return what === "delivery-record" ? { signature } : { signature, deadline: typed_data.message.deadline };
}

/** Queues an act of a party by the API. Returns the relay's id. */
async function queue(who: Party, order: Order, what: string, body?: unknown): Promise<string> {
  const signed = body ?? (await sign(who, order, what));
  return expectStatus(202, await ask(who, "POST", order, what, signed)).relay.id;
}

async function relayOf(order: Order, id: string) {
  const found = (await bench.relaysOf(order)).find((one) => one.id === id);
  if (!found) throw new Error(`The relay ${id} is gone.`);
  return found;
}

async function escrowOf(order: Order) {
  const head = await bench.reader.getBlockNumber();
  await until(async () => {
    const indexed = (await readIndexedBlocks(bench.db)).get(bench.chain.chain_id);
    return indexed !== undefined && indexed.block >= head;
  }, `block ${head} indexed`);
  const [found] = await bench.db.select().from(escrow).where(eq(escrow.escrowId, order.escrow.escrow_id));
  if (!found) throw new Error("The escrow is not indexed.");
  return found;
}

async function moveTo(timestamp: bigint): Promise<void> {
  await bench.testChain.node.setNextBlockTimestamp({ timestamp });
  await bench.testChain.node.mine({ blocks: 1 });
}

const typesOf = async (order: Order) => (await bench.trail(order)).map(({ type }) => type);

describe("two acts that race", () => {
  test.each([
    { first: "release", winner: "released", by: () => [buyer, provider] as const },
    { first: "dispute", winner: "disputed", by: () => [provider, buyer] as const },
  ])("a $first that is relayed first wins; the other's relay fails with the reason", async (race) => {
    const order = await placeFunded();
    const [one, other] = race.by();
    const second = race.first === "release" ? "dispute" : "release";
    // Both acts are valid when the service accepts them.
    const won = await queue(one, order, race.first);
    const lost = await queue(other, order, second);
    await bench.relay();
    await bench.reach(order, race.winner);
    expect(await relayOf(order, won)).toMatchObject({ status: "mined", error: null });
    const failed = await relayOf(order, lost);
    expect(failed.status).toBe("failed");
    expect(failed.error).toContain("WrongStatus");
    expect(await typesOf(order)).toEqual(["order.created", "order.funded", `order.${race.winner}`]);
  });

  test("the same act sent many times at once is one relay, one transaction and one fact", async () => {
    const order = await placeFunded();
    const body = await sign(buyer, order, "release");
    const ids = await Promise.all(Array.from({ length: 5 }, () => queue(buyer, order, "release", body)));
    expect(new Set(ids).size).toBe(1);
    const nonce = await bench.nonce();
    await Promise.all([bench.relay(), bench.relay()]);
    await bench.reach(order, "released");
    expect(await bench.nonce()).toBe(nonce + 1);
    expect((await typesOf(order)).filter((type) => type === "order.released")).toHaveLength(1);
  });
});

describe("the same act by any sender", () => {
  test("a release by the buyer's own transaction sends the same events as a relayed one", async () => {
    const [own, relayed] = [await placeFunded(), await placeFunded()];
    await bench.testChain.fund(buyer.account);
    await bench.callEscrow(bench.market.buyer.account, own, "release");
    await queue(buyer, relayed, "release");
    await bench.relay();
    const releasedEvents = async (order: Order) => {
      const ended = await bench.reach(order, "released");
      const released = (await bench.trail(order)).at(-1);
      const receipts = (await bench.read(order, "receipts")).items;
      return {
        entry: { ...released, id: "", occurred_at: "", transaction: null },
        status: [ended.status, ended.escrow.status],
        receipts: receipts.map(({ claim, revoked }: Answer["body"]) => [claim, revoked]),
      };
    };
    expect(await releasedEvents(own)).toEqual(await releasedEvents(relayed));
  });

  test("contract wallets release, refund and dispute by their owners' signatures", async () => {
    const { api } = bench.market;
    const walletOf = async (): Promise<Party & { token: string }> => {
      const owner = privateKeyToAccount(generatePrivateKey());
      const address = await deployWallet(bench.testChain, owner.address);
      const { signMessage, signTypedData, signTransaction } = owner;
      const account = toAccount({ address, signMessage, signTypedData, signTransaction });
      const session = await signIn(api, account as never, bench.chain.chain_id);
      const key = await createKey(api, session, ["orders:read", "orders:write"]);
      return { key, account: account as never, token: session.token };
    };
    const [buyerWallet, providerWallet] = [await walletOf(), await walletOf()];
    const { service } = await publishService(api, providerWallet as never);
    const cases = [
      { act: "release", by: buyerWallet, ends: "released" },
      { act: "refund", by: providerWallet, ends: "refunded" },
      { act: "dispute", by: buyerWallet, ends: "disputed" },
      { act: "dispute", by: providerWallet, ends: "disputed" },
    ];
    for (const { act, by, ends } of cases) {
      const placing = { apiKey: buyerWallet.key, body: { service_id: service.id } };
      const order = expectStatus(201, await api.request("POST", "/orders", placing));
      await bench.fundDirectly(order, patron);
      const reach = (status: string) =>
        bench.workUntil(async () => {
          const now = expectStatus(200, await ask(by, "GET", order, ""));
          return now.status === status;
        }, `the order is ${status}`);
      await reach("funded");
      const id = await queue(by, order, act);
      await bench.relay();
      expect(await relayOf(order, id)).toMatchObject({ status: "mined", error: null });
      await reach(ends);
    }
    expect(await bench.balanceOf(providerWallet.account.address)).toBe(price);
    expect(await bench.balanceOf(buyerWallet.account.address)).toBe(price);
  });
});

describe("an agent that changes while its orders are open", () => {
  test("new payout wallet, paused, service retired, retired: the order continues, and is paid to the agreed wallet", async () => {
    const { api, provider: session, chain } = bench.market;
    const { agent, service } = await publishService(api, session);
    const order = await placeOrder(bench.market, { settlement_rail: "escrow", service_id: service.id });
    const change = async (method: string, path: string, body?: unknown) => {
      const answer = await api.request(method, path, { token: session.token, body });
      expect([200, 201, 204], JSON.stringify(answer.body)).toContain(answer.status);
    };
    const link = async () => {
      const wallet = privateKeyToAccount(generatePrivateKey());
      const asking = { address: wallet.address, chain_id: chain.chain.chain_id, purpose: "link_wallet" };
      const { message, nonce } = expectStatus(
        200,
        await api.request("POST", "/auth/nonce", { token: session.token, body: asking }),
      );
      await change("POST", "/auth/me/wallets", {
        message,
        nonce,
        signature: await wallet.signMessage({ message }),
      });
      return wallet.address;
    };
    await bench.fundDirectly(order, patron);
    await bench.reach(order, "funded");
    const later = await link();
    await change("PUT", `/agents/${agent.slug}/payout-wallet`, { address: later });
    await change("POST", `/agents/${agent.slug}/pause`);
    expectStatus(200, await ask(provider, "POST", order, "start"));
    await change("POST", `/agents/${agent.slug}/services/${service.slug}/retire`);
    await change("POST", `/agents/${agent.slug}/retire`);
    await deliver(order, "Good day");
    await queue(provider, order, "delivery-record");
    await bench.relay();
    await bench.workUntil(async () => (await typesOf(order)).includes("delivery.recorded"), "it is recorded");
    const had = await bench.balanceOf(session.account.address);
    await queue(buyer, order, "release");
    await bench.relay();
    await bench.reach(order, "released");
    expect(await bench.balanceOf(session.account.address)).toBe(had + price);
    expect(await bench.balanceOf(later)).toBe(0n);
  });
});

// Comes last, because it moves the chain's clock.
describe("deliveries and their deadline", () => {
  test("a second record replaces the hash and does not move auto-release", async () => {
    const order = await placeDelivered();
    await queue(provider, order, "delivery-record");
    await bench.relay();
    const first = await escrowOf(order);
    expect(first.outputHash).toBe(digestOf({ translation: "Good" }));
    await bench.workUntil(async () => (await typesOf(order)).includes("delivery.recorded"), "it is recorded");
    await moveTo((await bench.reader.getBlock()).timestamp + 600n);
    const reason = "The second half is missing.";
    expectStatus(200, await ask(buyer, "POST", order, "revision", { reason }));
    await deliver(order, "Good day");
    await queue(provider, order, "delivery-record");
    await bench.relay();
    const second = await escrowOf(order);
    expect(second).toMatchObject({
      deliveryCount: 2,
      outputHash: digestOf({ translation: "Good day" }),
      deliveredAt: first.deliveredAt,
      autoReleaseAt: first.autoReleaseAt,
    });
    const isRecorded = async () =>
      (await typesOf(order)).filter((type) => type === "delivery.recorded").length === 2;
    await bench.workUntil(isRecorded, "both are recorded");
    const shown = await bench.read(order);
    expect(Date.parse(shown.auto_release_at) / 1000).toBe(Number(first.autoReleaseAt));
  });

  test("a record that waited past the deadline fails with the reason; then none is accepted, and the money goes back", async () => {
    const order = await placeDelivered();
    const signed = await sign(provider, order, "delivery-record");
    const id = await queue(provider, order, "delivery-record", signed);
    const { deliveryDeadline } = await escrowOf(order);
    await moveTo(deliveryDeadline + 1n);
    await bench.relay();
    const failed = await relayOf(order, id);
    expect(failed).toMatchObject({ status: "failed", transactionHash: null });
    expect(failed.error).toMatch(/SignatureExpired|TooLate/);
    expect(await escrowOf(order)).toMatchObject({ status: "funded", deliveryCount: 0 });
    expect(await typesOf(order)).toEqual([
      "order.created",
      "order.funded",
      "order.started",
      "order.delivered",
    ]);

    for (const method of ["GET", "POST"] as const) {
      const refused = await ask(
        provider,
        method,
        order,
        "delivery-record",
        method === "POST" ? signed : undefined,
      );
      expect(refused).toMatchObject({ status: 409, body: { error: { code: "invalid_state" } } });
      expect(refused.body.error.message).toContain("delivery deadline");
    }
    expect(await relayOf(order, id)).toMatchObject({ status: "failed" });
    await bench.testChain.fund(patron);
    await bench.callEscrow(patron, order, "refund");
    await bench.reach(order, "refunded");
  });
});
