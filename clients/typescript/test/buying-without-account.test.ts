import { join } from "node:path";
import { erc20Abi, maxUint256 } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { forkChain, type TestChain } from "../../../test/harness/chain.ts";
import { placePermit2 } from "../../../test/harness/flows/permit2.ts";
import { startPonderAlone } from "../../../tools/stack/services.ts";
import {
  type BuyWithoutAccountOptions,
  Earnest,
  PaymentFailedError,
  type Purchase,
  type Service,
  UntrustedOrderError,
} from "../src/index.ts";
import { deriveDeposit, permit2Address } from "../src/settlement.ts";
import { type Member, type OwnMarket, runProgram, startMarket } from "./market.fixture.ts";

let chain: TestChain;
let market: OwnMarket;
let provider: Member;
let service: Service;
let host: string;

beforeAll(async () => {
  chain = await forkChain();
  await placePermit2(chain);
  market = await startMarket({ chain });
  provider = await market.join();
  service = await market.publish(provider);
  host = new URL(market.stack.baseUrl).host;
});
afterAll(async () => {
  await market?.close();
  await chain?.close();
});
afterEach(() => market.proxy.changeResponses(null));

const price = 2_500_000n;
const other = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const hash = `0x${"11".repeat(32)}`;

/** A wallet with money and no account, and a client without a token. */
async function newPayer() {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  await market.stack.chain.fund(account);
  const wallet = market.stack.chain.wallet(account);
  const client = new Earnest({ baseUrl: market.proxy.baseUrl });
  const options = { wallet, maxAmount: "3.00", issuer: market.issuer, host };
  const had = await market.balanceOf(account.address);
  return {
    key,
    account,
    wallet,
    options,
    client,
    buy: (number: number, more: Partial<BuyWithoutAccountOptions> = {}): Promise<Purchase> =>
      client.buyWithoutAccount(service, { number }, { ...options, ...more }),
    spent: async () => had - (await market.balanceOf(account.address)),
    /** The wallet's orders, as its account sees them. */
    async orders() {
      const own = new Earnest({ baseUrl: market.stack.baseUrl });
      await own.signIn({ wallet: account, chainId: 31_337 });
      return (await own.orders.list()).items;
    },
  };
}

const deliver = (orderId: string, twice: number) => market.deliver(provider, orderId, twice);

describe("buying without an account", () => {
  test("takes a wallet and no token: paid, delivered, accepted, with a receipt that the chain bears out", async () => {
    const payer = await newPayer();
    const steps: string[] = [];
    const purchase = await payer.buy(21, { onProgress: ({ step }) => void steps.push(step) });
    expect(purchase.order.status).toBe("funded");
    expect(steps).toEqual(["offered", "signed", "funded"]);
    expect(await payer.spent()).toBe(price);
    const delivery = purchase.delivery();
    await deliver(purchase.orderId, 42);
    expect((await delivery).output).toEqual({ twice: 42 });
    const receipt = await purchase.accept();
    expect(receipt).toMatchObject({ valid: true, claim: "released", chain: { checked: true, agrees: true } });
    expect(receipt.document.order_id).toBe(purchase.orderId);
    expect(await payer.spent()).toBe(price);
    // The claim continues the purchase in another process.
    const { claim } = purchase;
    if (!claim) throw new Error("The purchase has no claim.");
    const again = await payer.client.resumeWithoutAccount(claim, payer.options);
    expect((await again.accept()).document.id).toBe(receipt.document.id);
    await expect(payer.client.resumeWithoutAccount(claim, (await newPayer()).options)).rejects.toMatchObject({
      field: "agreement.buyer",
    });
  });

  test("asks for changes and disputes by the wallet's signature", async () => {
    const payer = await newPayer();
    const purchase = await payer.buy(3);
    await deliver(purchase.orderId, 7);
    await purchase.delivery();
    const isRecorded = async () =>
      (await provider.client.orders.get(purchase.orderId)).delivery_record === "matched";
    await vi.waitUntil(isRecorded, { timeout: 120_000, interval: 200 });
    expect((await purchase.requestChanges("Twice of 3 is 6.")).status).toBe("started");
    await deliver(purchase.orderId, 8);
    await purchase.delivery();
    expect((await purchase.dispute("It is still not 6.")).status).toBe("disputed");
  });

  test("pays by Permit2 where no other method is listed", async () => {
    const payer = await newPayer();
    const { token } = market.stack.chain.chain;
    market.proxy.changeResponses((path, body: Record<string, never>) => {
      if (!/\/buy\//.test(path) || !("accepts" in body)) return body;
      const accepts = (body.accepts as { extra: { assetTransferMethod?: string } }[]).filter(
        ({ extra }) => extra.assetTransferMethod === "permit2",
      );
      return { ...body, accepts };
    });
    await expect(payer.buy(4)).rejects.toMatchObject({ reason: "permit2_allowance_required" });
    const { publicClient } = market.stack.chain;
    const hash = await payer.wallet.writeContract({
      address: token.address,
      abi: erc20Abi,
      functionName: "approve",
      args: [permit2Address, maxUint256],
    });
    await publicClient.waitForTransactionReceipt({ hash });
    const purchase = await payer.buy(4);
    expect(purchase.order.status).toBe("funded");
    expect((await payer.buy(4)).orderId).toBe(purchase.orderId);
    expect(await payer.spent()).toBe(price);
  });
});

describe("one purchase is paid once", () => {
  test("by equal calls, one after another and at once, until its order has ended", async () => {
    const payer = await newPayer();
    const first = await payer.buy(5);
    const [second, third] = await Promise.all([payer.buy(5), payer.buy(5)]);
    expect([second.orderId, third.orderId]).toEqual([first.orderId, first.orderId]);
    expect(await payer.spent()).toBe(price);
    await deliver(first.orderId, 10);
    await first.accept();
    const next = await payer.buy(5);
    expect(next.orderId).not.toBe(first.orderId);
    expect(await payer.spent()).toBe(2n * price);
    // A key means one purchase forever.
    const named = await payer.buy(5, { key: "five" });
    expect([first.orderId, next.orderId]).not.toContain(named.orderId);
    expect((await payer.buy(5, { key: "five" })).orderId).toBe(named.orderId);
    expect(await payer.spent()).toBe(3n * price);
  });

  test("also if the provider changes the least quantity before the program starts again", async () => {
    const payer = await newPayer();
    const unitPriced = { pricing_model: "per_unit", price_unit: "number" } as const;
    const { agent, slug } = await market.publish(provider, unitPriced);
    const read = () => payer.client.services.get(agent.slug, slug);
    const buy = async () =>
      payer.client.buyWithoutAccount(await read(), { number: 8 }, { ...payer.options, maxAmount: "9.00" });
    await buy();
    await provider.client.services.update(agent.slug, slug, { min_quantity: 2 });
    await vi.waitUntil(async () => (await read()).min_quantity === 2, { timeout: 120_000, interval: 200 });
    await expect(buy()).rejects.toMatchObject({ field: "agreement.quantity", expected: "2", found: "1" });
    expect(await payer.spent()).toBe(price);
  });

  test.each<[when: string, shape: RegExp]>([
    ["before its payment is handed in", /^before POST .*\/buy\/.* paid$/],
    ["while its payment is answered", /^after POST .*\/buy\/.* paid$/],
    ["while the order is followed", /^after GET .*\/orders\/ord_\w+$/],
  ])("by a program that is killed %s and started again", async (_, shape) => {
    const payer = await newPayer();
    const { proxy, stack, issuer } = market;
    const env = {
      BASE_URL: proxy.baseUrl,
      WALLET_KEY: payer.key,
      RPC_URL: stack.chain.rpcUrl,
      AGENT: service.agent.slug,
      ISSUER: issuer,
    };
    const held = proxy.holdNext(shape);
    const first = runProgram("payer", env);
    await Promise.race([held, first.end().then(() => Promise.reject(new Error("It was not held.")))]);
    await first.kill();
    const [orderId, status] = (await runProgram("payer", env).end()).trim().split(" ");
    expect(status).toBe("funded");
    expect((await payer.orders()).map(({ id }) => id)).toEqual([orderId]);
    expect(await payer.spent()).toBe(price);
  });

  test("also if the answer to the payment is cut and the service restarts", async () => {
    const payer = await newPayer();
    const { proxy, stack } = market;
    const held = proxy.holdNext(/^after POST .*\/buy\/.* paid$/);
    const lost = payer.buy(6, { signal: AbortSignal.timeout(5_000) }).catch((error: unknown) => error);
    await held;
    await stack.indexer.stop(10_000);
    expect(await lost).toBeInstanceOf(Error);
    const log = join(stack.folder, "indexer-again.log");
    const again = await startPonderAlone(stack.env, log, () => {});
    try {
      const purchase = await payer.buy(6);
      expect(purchase.order.status).toBe("funded");
      expect((await payer.orders()).map(({ id }) => id)).toEqual([purchase.orderId]);
      expect(await payer.spent()).toBe(price);
    } finally {
      stack.indexer = again;
    }
  });
});

describe("a hostile service is refused, with the field, and nothing is signed", () => {
  type Body = Record<string, unknown>;
  type Terms = { accepts: (Body & { extra: Body })[]; agreement: Body };
  const isTerms = (path: string, body: Body): body is Body & Terms =>
    /\/buy\//.test(path) && "agreement" in body;

  /** Replaces the agreement, and recomputes what it pays. */
  function lieAbout(terms: Terms, changed: Body): Body {
    const agreement = { ...terms.agreement, ...changed };
    const { depositAddress, terms: derived, chainId } = deriveDeposit(agreement);
    const accepts = terms.accepts.map((one) => ({
      ...one,
      network: `eip155:${chainId}`,
      amount: String(derived.amount),
      asset: derived.token,
      payTo: depositAddress,
    }));
    return { ...terms, agreement, accepts };
  }

  async function refused(buy: () => Promise<unknown>, field: string | RegExp) {
    const error = await buy().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UntrustedOrderError);
    expect((error as UntrustedOrderError).code).toBe("untrusted_order");
    expect((error as UntrustedOrderError).field).toMatch(field);
  }

  test.each<[member: string, value: unknown, field?: string]>([
    ["provider", other],
    ["buyer", other],
    ["amount_base_units", "2500001"],
    ["amount_base_units", "9000000"],
    ["arbiter", other],
    ["acceptance_window_seconds", 60],
    ["delivery_window_seconds", 1],
    ["dispute_window_seconds", 4_000_000_000],
    ["service_id", "svc_01jd3w7n1yes0bq7d5z3w6t8kg"],
    ["quantity", 2],
    ["input_digest", hash],
    ["output_schema_digest", hash],
    ["escrow_contract", other],
    ["chain", "eip155:8453"],
    ["token", { address: other, symbol: "TUSD", decimals: 6 }],
    ["order_id", null],
    ["fund_by", "soon", "agreement"],
  ])("that offers another %s, consistently: %j", async (member, value, field) => {
    const payer = await newPayer();
    market.proxy.changeResponses((path, body: Body) =>
      isTerms(path, body)
        ? member === "fund_by"
          ? { ...body, agreement: { ...body.agreement, fund_by: value } }
          : lieAbout(body, { [member]: value })
        : body,
    );
    await refused(() => payer.buy(1), field ?? new RegExp(`^agreement\\.${member}`));
    market.proxy.changeResponses(null);
    expect(await payer.spent()).toBe(0n);
  });

  test.each<[member: string, value: unknown]>([
    ["payTo", other],
    ["amount", "9000000"],
    ["asset", other],
    ["network", "eip155:8453"],
    ["scheme", "deferred"],
  ])("that asks for another %s than agreed", async (member, value) => {
    const payer = await newPayer();
    market.proxy.changeResponses((path, body: Body) =>
      isTerms(path, body)
        ? { ...body, accepts: body.accepts.map((one) => ({ ...one, [member]: value })) }
        : body,
    );
    await refused(() => payer.buy(1), new RegExp(`^accepts\\[0\\]\\.${member}`));
    expect(await payer.spent()).toBe(0n);
  });

  test.each<[what: string, changed: Body, field: RegExp]>([
    ["a higher price", { amount_base_units: "2900000" }, /amount_base_units/],
    ["another token", { token: { address: other, symbol: "TUSD", decimals: 6 } }, /^accepts$/],
    ["another chain", { chain: "eip155:8453" }, /^accepts$/],
    ["another buyer", { buyer: other }, /buyer/],
  ])("that refuses the payment and then offers %s", async (_, changed, field) => {
    const payer = await newPayer();
    let requests = 0;
    market.proxy.changeResponses((path, body: Body, shown) => {
      if (!/\/buy\//.test(path)) return body;
      // The service has taken the payment and says that it has not.
      if ("claim" in body) {
        shown.status = 402;
        return {
          error: { code: "payment_required", message: "", details: [{ path: "", keyword: "terms_expired" }] },
        };
      }
      return isTerms(path, body) && ++requests > 1 ? lieAbout(body, changed) : body;
    });
    await refused(() => payer.buy(8), field);
    market.proxy.changeResponses(null);
    expect(await payer.spent()).toBeLessThanOrEqual(price);
    // The call without the lie finds the order that was paid.
    expect((await payer.buy(8)).order.status).toBe("funded");
    expect(await payer.spent()).toBe(price);
  });

  test("that answers a new payment with an order that ended before", async () => {
    const payer = await newPayer();
    const first = await payer.buy(9);
    await deliver(first.orderId, 18);
    await first.accept();
    let old: Body | undefined;
    market.proxy.changeResponses((path, body: Body) => {
      if (!/\/buy\//.test(path) || !("claim" in body)) return body;
      old ??= body;
      return old;
    });
    const error = await payer.buy(9).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PaymentFailedError);
    expect((error as PaymentFailedError).reason).toBe("paid_for_another_order");
    // The second payment is in the escrow of the second order, and no third one was signed.
    expect(await payer.spent()).toBe(2n * price);
  });

  test("that refuses terms, is paid by them, and answers the next ones with an order that ended before", async () => {
    const payer = await newPayer();
    const first = await payer.buy(13);
    await deliver(first.orderId, 26);
    await first.accept();
    let old: Body | undefined;
    let answers = 0;
    market.proxy.changeResponses((path, body: Body, shown) => {
      if (!/\/buy\//.test(path) || !("claim" in body)) return body;
      old ??= body;
      answers++;
      if (answers !== 2) return old;
      shown.status = 402;
      return {
        error: { code: "payment_required", message: "", details: [{ path: "", keyword: "terms_expired" }] },
      };
    });
    const error = await payer.buy(13).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PaymentFailedError);
    expect((error as PaymentFailedError).reason).toBe("paid_for_another_order");
    expect(await payer.spent()).toBe(2n * price);
  });

  test.each<[what: string, changed: Body, field: RegExp]>([
    ["no list of requirements", { accepts: {} }, /^accepts$/],
    ["an empty entry", { accepts: [null] }, /^accepts$/],
    ["an entry without its token's name", { accepts: [{ scheme: "exact", extra: null }] }, /^accepts$/],
    ["no list of further agreements", { other_agreements: 7 }, /^other_agreements$/],
    ["no agreement", { agreement: [] }, /^agreement/],
  ])("that answers with %s", async (_, changed, field) => {
    const payer = await newPayer();
    market.proxy.changeResponses((path, body: Body) =>
      isTerms(path, body) ? { ...body, ...changed } : body,
    );
    await refused(() => payer.buy(1), field);
    expect(await payer.spent()).toBe(0n);
  });

  test("that offers terms of the scheme upto only", async () => {
    const payer = await newPayer();
    market.proxy.changeResponses((path, body: Body) =>
      isTerms(path, body)
        ? { ...body, accepts: body.accepts.map((one) => ({ ...one, scheme: "upto" })) }
        : body,
    );
    await refused(() => payer.buy(1), /^accepts$/);
    expect(await payer.spent()).toBe(0n);
  });

  test("that shows a funded order without its escrow", async () => {
    const payer = await newPayer();
    const { orderId } = await payer.buy(11);
    expect(orderId).toMatch(/^ord_/);
    await refused(
      () => payer.client.buyWithoutAccount({ ...service, price: "2.00" }, { number: 12 }, payer.options),
      /^service\.accepts\.price|^agreement\./,
    );
    await expect(payer.buy(12, { maxAmount: "2.49" })).rejects.toMatchObject({
      field: "agreement.amount_base_units",
    });
    expect(await payer.spent()).toBe(price);
  });
});
