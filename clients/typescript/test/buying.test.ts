import { type Address, BaseError, createWalletClient, erc20Abi, http } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { forwardRequests, type Treatment } from "../../../test/harness/jobs/processes.ts";
import { runSequentially } from "../src/buying/sequential.ts";
import {
  ApprovalRequiredError,
  type BuyOptions,
  ConnectionError,
  Earnest,
  OrderEndedError,
  PermissionDeniedError,
  type Purchase,
  type Service,
  UntrustedOrderError,
} from "../src/index.ts";
import { verifyRecordStatement } from "../src/receipts.ts";
import { type Market, type Member, runProgram, startMarket } from "./market.fixture.ts";

let market: Market;
let provider: Member;
let service: Service;

beforeAll(async () => {
  market = await startMarket();
  provider = await market.join();
  service = await market.publish(provider);
});
afterAll(() => market?.close());

const price = 2_500_000n;

async function newBuyer() {
  const buyer = await market.join();
  const { issuer, stack } = market;
  const wallet = stack.chain.wallet(buyer.wallet);
  const had = await market.balanceOf(buyer.wallet.address);
  return {
    ...buyer,
    sender: wallet,
    buy: (input: Record<string, unknown>, options: Partial<BuyOptions> = {}): Promise<Purchase> =>
      buyer.client.buy(service, input, { wallet, maxAmount: "3.00", issuer, ...options }),
    spent: async () => had - (await market.balanceOf(buyer.wallet.address)),
  };
}

const deliver = (orderId: string, twice: number) => market.deliver(provider, orderId, twice);

describe("buying", () => {
  test("by one signature: placed, paid, delivered, accepted, with a receipt that the chain bears out", async () => {
    const buyer = await newBuyer();
    const steps: string[] = [];
    const purchase = await buyer.buy({ number: 21 }, { onProgress: ({ step }) => void steps.push(step) });
    expect(purchase.order.status).toBe("funded");
    expect(steps).toEqual(["agreed", "signed", "funded"]);
    expect(await buyer.spent()).toBe(price);
    const delivery = purchase.delivery();
    await deliver(purchase.orderId, 42);
    expect((await delivery).output).toEqual({ twice: 42 });
    const { delivered_at, acceptance_ends_at } = await buyer.client.orders.get(purchase.orderId);
    expect(Date.parse(acceptance_ends_at ?? "")).toBeGreaterThan(Date.parse(delivered_at ?? ""));
    const receipt = await purchase.accept();
    expect(receipt).toMatchObject({ valid: true, claim: "released", chain: { checked: true, agrees: true } });
    expect(receipt.document.order_id).toBe(purchase.orderId);
    // A second call, as after a crash, moves nothing and returns the same receipt.
    const again = await buyer.client.resume(purchase.orderId, {
      wallet: buyer.sender,
      issuer: market.issuer,
    });
    expect((await again.accept()).document.id).toBe(receipt.document.id);
    expect(await buyer.spent()).toBe(price);
  });

  test("a released order is reviewed, changed, answered, reported and taken back, as everybody reads", async () => {
    const buyer = await newBuyer();
    const purchase = await buyer.buy({ number: 5 });
    await deliver(purchase.orderId, 10);
    await purchase.delivery();
    await purchase.accept();
    const { record } = buyer.client.agents;
    const { agent } = service;
    const outcomes: string[] = [];
    for await (const { order_id } of record.listOutcomes(agent.slug, { limit: 1 })) outcomes.push(order_id);
    expect(outcomes).toContain(purchase.orderId);
    // A record of earlier orders may exist.
    const isCounted = async () =>
      (await record.listCounterparties(agent.slug)).items.some(({ wallets }) =>
        wallets.includes(buyer.wallet.address),
      );
    await vi.waitUntil(isCounted, { timeout: 60_000, interval: 500 });
    expect((await record.get(agent.slug)).ever.orders).toBeGreaterThan(0);
    await vi.waitUntil(() => record.getStatement(agent.slug).catch(() => null), { timeout: 60_000 });
    const statement = await record.getStatement(agent.slug);
    const { issuer } = market;
    expect(await verifyRecordStatement(statement, { issuer, agent: agent.slug })).toMatchObject({
      valid: true,
    });
    const { reviews } = buyer.client;
    expect(await reviews.getForOrder(purchase.orderId)).toMatchObject({ your_role: "buyer", review: null });
    const { id } = await reviews.write(purchase.orderId, { rating: 4, text: "Twice, as told." });
    await reviews.edit(purchase.orderId, { rating: 5, text: null });
    await provider.client.reviews.answer(id, { text: "Gladly." });
    await provider.client.reports.create({
      subject: { kind: "review", id },
      reason: "other",
      text: "A test of reports.",
    });
    expect(await reviews.get(id)).toMatchObject({
      rating: 5,
      text: null,
      settled: true,
      disputed_by_provider: true,
      marked: false,
      answer: { text: "Gladly." },
    });
    const anybody = new Earnest({ baseUrl: market.proxy.baseUrl });
    const listed = await anybody.reviews.list(service.agent.slug, { limit: 1 });
    expect(listed.items).toMatchObject([{ id, rating: 5 }]);
    expect(listed.body.summary).toMatchObject({ count: 1, average: 5, distribution: [0, 0, 0, 0, 1] });
    expect(await reviews.withdraw(purchase.orderId)).toMatchObject({ id, rating: null, answer: null });
  });

  test("by two calls of the wallet, with changes asked for", async () => {
    const buyer = await newBuyer();
    const steps: string[] = [];
    let spentBefore = price;
    const purchase = await buyer.buy(
      { number: 1 },
      {
        rail: "escrow",
        onProgress: async (progress) => {
          // The client awaits the callback before it pays.
          if (progress.step === "agreed") spentBefore = await buyer.spent();
          steps.push(progress.step === "sent" ? progress.function : progress.step);
        },
      },
    );
    expect(spentBefore).toBe(0n);
    expect(steps).toEqual(["agreed", "approve", "createEscrow", "funded"]);
    expect(await buyer.spent()).toBe(price);
    await deliver(purchase.orderId, 3);
    expect((await purchase.delivery()).output).toEqual({ twice: 3 });
    expect((await purchase.requestChanges("Twice one is two.")).status).toBe("started");
    const second = purchase.delivery();
    await provider.client.orders.deliver(purchase.orderId, { output_payload: { twice: 2 } });
    expect((await second).output).toEqual({ twice: 2 });
    const order = await purchase.dispute("It came late.");
    expect(order.status).toBe("disputed");
    const { opened } = await buyer.client.disputes.get(purchase.orderId);
    expect(opened?.reason).toBe("It came late.");
  });

  test("two at once by calls of one wallet do not spend each other's allowance", async () => {
    const buyer = await newBuyer();
    const both = [31, 32].map((number) => buyer.buy({ number }, { rail: "escrow" }));
    const statuses = (await Promise.all(both)).map(({ order }) => order.status);
    expect(statuses).toEqual(["funded", "funded"]);
    expect(await buyer.spent()).toBe(2n * price);
  });

  test("the same order twice at once by calls is allowed and paid once", async () => {
    const buyer = await newBuyer();
    const sent: string[] = [];
    const onProgress: BuyOptions["onProgress"] = (progress) => {
      if (progress.step === "sent") sent.push(progress.function);
    };
    const { id } = await buyer.client.orders.place({
      service_id: service.id,
      input_payload: { number: 34 },
      settlement_rail: "escrow",
      buyer_address: buyer.wallet.address,
    });
    const options = { wallet: buyer.sender, issuer: market.issuer, maxAmount: "3.00", onProgress };
    await Promise.all([buyer.client.resume(id, options), buyer.client.resume(id, options)]);
    expect(sent).toEqual(["approve", "createEscrow"]);
    expect(await buyer.spent()).toBe(price);
  });

  test("one that is ended before its turn ends at once and sends nothing, and the next waits all the same", async () => {
    const mined = Promise.withResolvers<void>();
    const sent: string[] = [];
    const first = runSequentially("allowance", async () => {
      await mined.promise;
      sent.push("first");
    });
    const stop = new AbortController();
    const second = runSequentially("allowance", async () => sent.push("second"), stop.signal);
    const third = runSequentially("allowance", async () => sent.push("third"));
    stop.abort(new Error("ended"));
    await expect(second).rejects.toThrow("ended");
    expect(sent).toEqual([]);
    mined.resolve();
    await Promise.all([first, third]);
    expect(sent).toEqual(["first", "third"]);
  });

  test("by calls, whose allowance another process of the wallet spends", async () => {
    const buyer = await newBuyer();
    const sent: string[] = [];
    const purchase = await buyer.buy(
      { number: 33 },
      {
        rail: "escrow",
        onProgress: async (progress) => {
          if (progress.step !== "sent") return;
          sent.push(progress.function);
          if (sent.length > 1) return;
          const { token, escrow_contract: spender } = market.stack.chain.chain;
          const args = [spender as Address, 0n] as const;
          const call = { address: token.address, abi: erc20Abi, functionName: "approve", args } as const;
          const hash = await buyer.sender.writeContract({ ...call, account: buyer.wallet, chain: null });
          await market.stack.chain.publicClient.waitForTransactionReceipt({ hash });
        },
      },
    );
    expect(purchase.order.status).toBe("funded");
    expect(sent).toEqual(["approve", "approve", "createEscrow"]);
    expect(await buyer.spent()).toBe(price);
  });

  test("the wallet releases by its own call, and a second one, as of a run before a crash, is no error", async () => {
    const buyer = await newBuyer();
    const purchase = await buyer.buy({ number: 11 });
    const release = vi.spyOn(buyer.client.orders, "release");
    const receipts = await Promise.all([purchase.accept({ send: true }), purchase.accept({ send: true })]);
    expect(new Set(receipts.map(({ document }) => document.id)).size).toBe(1);
    expect(receipts[0]).toMatchObject({ claim: "released", chain: { agrees: true } });
    expect(release).not.toHaveBeenCalled();
  });

  test("an account without a node pays too, where the contract is known", async () => {
    const buyer = await newBuyer();
    const { chain } = market.stack.chain;
    const known = { chainId: chain.chain_id, escrowContract: chain.escrow_contract, token: chain.token };
    await expect(buyer.buy({ number: 2 }, { wallet: buyer.wallet })).rejects.toThrow(/escrowContract/);
    const purchase = await buyer.buy({ number: 2 }, { wallet: buyer.wallet, ...known });
    expect(purchase.order.status).toBe("funded");
    expect(await buyer.spent()).toBe(price);
  });

  test("the same again goes on with the order, at once and later; under another key it is another purchase", async () => {
    const buyer = await newBuyer();
    const [first, second] = await Promise.all([buyer.buy({ number: 5 }), buyer.buy({ number: 5 })]);
    const third = await buyer.buy({ number: 5 });
    expect(new Set([first, second, third].map(({ orderId }) => orderId)).size).toBe(1);
    expect(await buyer.spent()).toBe(price);
    const other = await buyer.buy({ number: 5 }, { key: "another" });
    expect(other.orderId).not.toBe(first.orderId);
    expect(await buyer.spent()).toBe(2n * price);
    await first.accept();
    expect((await buyer.buy({ number: 5 })).orderId).not.toBe(first.orderId);
    expect(await buyer.spent()).toBe(3n * price);
  });

  test("a key's limit is told; above what it may spend by itself nothing is signed before an owner approves", async () => {
    const buyer = await newBuyer();
    const scopes = ["orders:read", "orders:write", "webhooks:read"] as const;
    const limits = { approval_above: "2.49", max_open_orders: 2 };
    const key = await buyer.client.apiKeys.create({ name: "shopper", scopes: [...scopes], limits });
    const shopper = new Earnest({ baseUrl: buyer.client.baseUrl, apiKey: key.token });
    const options = { wallet: buyer.sender, maxAmount: "3.00", issuer: market.issuer };
    const buy = (number: number) => shopper.buy(service, { number }, options);
    const sign = vi.spyOn(buyer.wallet, "signTypedData");

    const waits = await buy(30).catch((error) => error);
    expect(waits).toBeInstanceOf(ApprovalRequiredError);
    expect(waits).toMatchObject({ isRefused: false, order: { approval: { status: "pending" } } });
    const refused = await buy(31).catch((error) => error);
    await buyer.client.orders.decideApproval(refused.order.id, { decision: "refuse" });
    await expect(shopper.resume(refused.order.id, options)).rejects.toMatchObject({ isRefused: true });
    await buyer.client.apiKeys.update(key.id, { limits: { max_open_orders: 1 } });
    const over = await buy(32).catch((error) => error);
    expect(over).toBeInstanceOf(PermissionDeniedError);
    expect([over.code, over.spendLimit]).toMatchObject([
      "spend_limit_exceeded",
      { limit: "max_open_orders", allowed: "1", spent: "1" },
    ]);
    expect(sign).not.toHaveBeenCalled();

    await buyer.client.orders.decideApproval(waits.order.id, { decision: "approve" });
    const purchase = await buy(30);
    expect([purchase.orderId, purchase.order.status]).toEqual([waits.order.id, "funded"]);
    expect(await buyer.spent()).toBe(price);

    // The same holds for an order of another key or session: a key that needs approval signs nothing.
    const own = await buyer.client.orders.place({ service_id: service.id, input_payload: { number: 33 } });
    await expect(shopper.resume(own.id, options)).rejects.toBeInstanceOf(ApprovalRequiredError);
  });

  test("what costs more than was said is not signed", async () => {
    const buyer = await newBuyer();
    const sign = vi.spyOn(buyer.wallet, "signTypedData");
    await expect(buyer.buy({ number: 8 }, { maxAmount: "2.49" })).rejects.toMatchObject({
      field: "agreement.amount_base_units",
      found: "2.500000",
    });
    expect(sign).not.toHaveBeenCalled();
    expect(await buyer.spent()).toBe(0n);
  });
});

test.each(["x402", "escrow"] as const)(
  "a node whose latest block is replaced while it looks is asked again (%s)",
  async (rail) => {
    const buyer = await newBuyer();
    const refused: string[] = [];
    const replaced = {
      code: -32_602,
      message: "BlockOutOfRangeError: block height is 8 but requested was 7",
    };
    // The first request of each method, and the first call of each contract function.
    const node = await forwardRequests(market.stack.chain.rpcUrl, {
      treat: ({ method, params }) => {
        const [call] = params as [{ data?: string } | undefined];
        const question = `${method} ${call?.data?.slice(0, 10) ?? ""}`;
        if (!/^eth_(call|get|estimate|blockNumber)/.test(method) || refused.includes(question))
          return "forward";
        refused.push(question);
        return { error: replaced };
      },
    });
    const wallet = createWalletClient({
      account: buyer.wallet,
      chain: market.stack.chain.publicClient.chain,
      transport: http(node.url),
      pollingInterval: 50,
    });
    const purchase = await buyer.buy({ number: 4 }, { wallet, rail });
    expect(purchase.order.status).toBe("funded");
    expect(await buyer.spent()).toBe(price);
    expect(refused).toEqual(expect.arrayContaining([expect.stringMatching("eth_call"), "eth_getCode "]));
    // Payments read receipts too. The node refuses only the receipt of the release, once.
    const isForReceipt = (one: string) => /Receipt|blockNumber/.test(one);
    refused.splice(0, refused.length, ...refused.filter((one) => !isForReceipt(one)));
    await deliver(purchase.orderId, 8);
    const { chain } = await purchase.accept();
    await node.close();
    expect(chain).toMatchObject({ checked: true, agrees: true });
    expect(refused.filter(isForReceipt).sort()).toEqual(["eth_blockNumber ", "eth_getTransactionReceipt "]);
  },
);

describe("the order's token, of which the wallet's node is asked", () => {
  const decimals = "0x313ce567";
  const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`;

  async function buyThrough(treatment: Treatment) {
    const buyer = await newBuyer();
    const sign = vi.spyOn(buyer.wallet, "signTypedData");
    let isAway = true;
    const node = await forwardRequests(market.stack.chain.rpcUrl, {
      treat: ({ method, params: [call] }) =>
        isAway && method === "eth_call" && (call as { data: string }).data === decimals
          ? treatment
          : "forward",
    });
    const { chain } = market.stack.chain.publicClient;
    const transport = http(node.url, { retryCount: 0 });
    const wallet = createWalletClient({ account: buyer.wallet, chain, transport });
    const buy = () => buyer.buy({ number: 5 }, { wallet });
    const refusal = await buy().catch((error: unknown) => error);
    expect(sign).not.toHaveBeenCalled();
    isAway = false;
    return { refusal, again: buy, close: node.close };
  }

  test.each<[what: string, treatment: Treatment, says: RegExp]>([
    ["is gone", "lose", /HTTP request failed/],
    ["is broken", { error: { code: -32_603, message: "Internal error" } }, /Internal error/],
    ["is asked too much", { error: { code: -32_005, message: "limit exceeded" } }, /limit exceeded/],
  ])("a node that %s says nothing of it: that is its own error, and the same again buys", async (...row) => {
    const [, treatment, says] = row;
    const { refusal, again, close } = await buyThrough(treatment);
    expect(refusal).toBeInstanceOf(BaseError);
    expect((refusal as Error).message).toMatch(says);
    expect((await again()).order.status).toBe("funded");
    await close();
  });

  test.each<[what: string, treatment: Treatment]>([
    ["refuses", { error: { code: 3, message: "execution reverted" } }],
    ["answers nothing", { result: "0x" }],
    ["answers no number of decimals", { result: word(256n) }],
    ["answers the largest number", { result: word(2n ** 256n - 1n) }],
    ["has others than agreed", { result: word(18n) }],
  ])("one that %s is not trusted", async (_, treatment) => {
    const { refusal, close } = await buyThrough(treatment);
    await close();
    expect(refusal).toBeInstanceOf(UntrustedOrderError);
    expect((refusal as UntrustedOrderError).field).toMatch(/^agreement\.token\./);
  });
});

describe("a buyer that is killed", () => {
  test.each<[when: string, rail: "x402" | "escrow", shape: RegExp]>([
    ["before it has the order", "x402", /^after POST \/api\/v1\/orders$/],
    ["between placing and paying", "x402", /^before GET .*\/payment-instructions$/],
    ["before its signature is handed in", "x402", /^before POST .*\/payment$/],
    ["while its payment is answered", "x402", /^after POST .*\/payment$/],
    ["between placing and paying", "escrow", /^before GET .*\/payment-instructions$/],
  ])("%s (%s) and started again has placed and paid once", async (_, rail, shape) => {
    const buyer = await newBuyer();
    const { proxy, stack, issuer } = market;
    const env = {
      BASE_URL: proxy.baseUrl,
      TOKEN: buyer.token,
      WALLET_KEY: buyer.key,
      RPC_URL: stack.chain.rpcUrl,
      AGENT: service.agent.slug,
      ISSUER: issuer,
      RAIL: rail,
    };
    const held = proxy.holdNext(shape);
    const first = runProgram("buyer", env);
    await Promise.race([held, first.end().then(() => Promise.reject(new Error("It was not held.")))]);
    await first.kill();
    const [orderId, status] = (await runProgram("buyer", env).end()).trim().split(" ");
    expect(status).toBe("funded");
    const orders = await buyer.client.orders.list();
    expect(orders.items.map(({ id }) => id)).toEqual([orderId]);
    expect(await buyer.spent()).toBe(price);
  });

  test("goes on by the order's id, from another process", async () => {
    const buyer = await newBuyer();
    const held = market.proxy.holdNext(/^before GET .*\/payment-instructions$/);
    const lost = expect(
      buyer.buy({ number: 3 }, { signal: AbortSignal.timeout(3_000) }),
    ).rejects.not.toBeInstanceOf(ConnectionError);
    await held;
    await lost;
    const [order] = (await buyer.client.orders.list()).items;
    const wallet = buyer.sender;
    await expect(buyer.client.resume(order?.id ?? "", { wallet })).rejects.toThrow(/maxAmount/);
    const options = { wallet, maxAmount: "2.50", issuer: market.issuer };
    const purchase = await buyer.client.resume(order?.id ?? "", options);
    expect(purchase.order.status).toBe("funded");
    expect(await buyer.spent()).toBe(price);
  });
});

// This test is the last of the file, because it turns the chain's clock forward.
test("takes the money back once the time to deliver is over", async () => {
  const buyer = await newBuyer();
  const purchase = await buyer.buy({ number: 9 }, { rail: "escrow" });
  expect(await buyer.spent()).toBe(price);
  await market.stack.chain.node.increaseTime({ seconds: 25 * 3600 });
  await market.stack.chain.node.mine({ blocks: 1 });
  expect((await purchase.refund()).status).toBe("refunded");
  expect(await buyer.spent()).toBe(0n);
  await expect(purchase.delivery()).rejects.toThrow(OrderEndedError);
});
