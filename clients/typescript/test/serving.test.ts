import { createPublicClient, http, toFunctionSelector } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forwardRequests } from "../../../test/harness/jobs/processes.ts";
import {
  ApiError,
  DeclinedError,
  type HandlerContext,
  metered,
  OrderEndedError,
  type ServeOptions,
  type Service,
} from "../src/index.ts";
import { joinMarket, type Market, type Member, runProgram } from "./market.fixture.ts";

let market: Market;
let buyer: Member;
/** Each test has its own provider, because an account has one feed. */
let provider: Member;

beforeAll(async () => {
  market = await joinMarket();
  [buyer, provider] = await Promise.all([market.join(), market.join()]);
});
afterAll(() => market?.close());

let bought = 0;
function buy(service: Service, number: number) {
  const wallet = market.stack.chain.wallet(buyer.wallet);
  const options = { wallet, maxAmount: "3", issuer: market.issuer, key: `purchase-${++bought}` };
  return buyer.client.buy(service, { number }, options);
}

type Double = (input: { number: number }, context: HandlerContext) => object | Promise<object>;

/** Serves until the test ends. */
function serve(service: Service, double: Double, options: ServeOptions = {}) {
  const stop = new AbortController();
  const wallet = market.stack.chain.wallet(provider.wallet);
  const done = provider.client.serve(
    service.agent.slug,
    { double },
    { wallet, signal: stop.signal, ...options },
  );
  return {
    async stop(): Promise<void> {
      stop.abort();
      await done;
    },
  };
}

describe("serving", () => {
  test("does what was funded before and what comes then, records it, and stops when it is done", async () => {
    const service = await market.publish(provider);
    const early = await buy(service, 4);
    const contexts: HandlerContext[] = [];
    const serving = serve(service, ({ number }, context) => {
      contexts.push(context);
      return { twice: 2 * number };
    });
    expect((await early.delivery()).output).toEqual({ twice: 8 });
    const late = await buy(service, 21);
    expect((await late.delivery()).output).toEqual({ twice: 42 });
    await expect
      .poll(async () => (await buyer.client.orders.get(late.orderId)).delivery_record)
      .toBe("matched");
    await serving.stop();
    expect(contexts.map(({ order, isRetry, attempt }) => [order.id, isRetry, attempt])).toEqual([
      [early.orderId, false, 1],
      [late.orderId, false, 1],
    ]);
    const deadline = Date.parse(late.order.delivery_deadline ?? "");
    expect(contexts[1]?.deliverBy.getTime()).toBe(deadline);
    expect(contexts[1]?.signal.aborted).toBe(false);
  });

  test("charges a metered order for its units, and the buyer's release pays no more", async () => {
    const service = await market.publish(provider, {
      pricing_model: "metered",
      price: "0.01",
      price_unit: "digit",
      max_quantity: 50,
    });
    const double = ({ number }: { number: number }) => metered({ twice: 2 * number }, 3);
    const serving = serve(service, double);
    const had = await market.balanceOf(provider.wallet.address);
    const purchase = await buy(service, 444);
    expect(purchase.order).toMatchObject({ quantity: 50, total_amount: "0.500000" });
    expect(await purchase.delivery()).toMatchObject({ output: { twice: 888 }, units: 3 });
    const receipt = await purchase.accept();
    expect(receipt).toMatchObject({ claim: "released", document: { amount: "30000" } });
    expect(receipt.chain).toMatchObject({ agrees: true });
    expect(await market.balanceOf(provider.wallet.address)).toBe(had + 30_000n);
    await serving.stop();
  });

  test("tells the handler why its output was refused, and delivers the next one", async () => {
    const service = await market.publish(provider);
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const double: Double = ({ number }, { lastError }) =>
      lastError === null ? { twice: "8" } : { twice: 2 * number };
    const serving = serve(service, double, { onError });
    const purchase = await buy(service, 4);
    expect((await purchase.delivery()).output).toEqual({ twice: 8 });
    await serving.stop();
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(ApiError);
    expect(errors[0]).toMatchObject({ code: "output_schema_violation" });
  });

  test("delivers again what the buyer wants changed, and says what that is", async () => {
    const service = await market.publish(provider);
    const double: Double = ({ number }, { changes }) => ({ twice: changes ? 2 * number : 0 });
    const serving = serve(service, double);
    const purchase = await buy(service, 5);
    expect((await purchase.delivery()).output).toEqual({ twice: 0 });
    await purchase.requestChanges("Not zero.");
    await expect.poll(async () => (await purchase.delivery()).output).toEqual({ twice: 10 });
    await serving.stop();
  });

  test("gives the money back for what it declines, by its wallet's signature", async () => {
    const service = await market.publish(provider);
    const serving = serve(service, () => {
      throw new DeclinedError("Not today.");
    });
    const had = await market.balanceOf(buyer.wallet.address);
    const purchase = await buy(service, 6);
    await expect(purchase.delivery()).rejects.toThrow(OrderEndedError);
    expect(await market.balanceOf(buyer.wallet.address)).toBe(had);
    await serving.stop();
  });

  test("does not sign the record of anything but its delivery", async () => {
    const service = await market.publish(provider);
    const errors: unknown[] = [];
    market.proxy.changeResponses((url, body: { typed_data?: { message: object } }) => {
      if (!/delivery-record$/.test(url) || !body.typed_data) return body;
      const message = { ...body.typed_data.message, outputHash: `0x${"11".repeat(32)}` };
      return { typed_data: { ...body.typed_data, message } };
    });
    const serving = serve(service, ({ number }) => ({ twice: 2 * number }), {
      onError: (error) => errors.push(error),
    });
    const purchase = await buy(service, 2);
    await purchase.delivery();
    await expect.poll(() => errors).toHaveLength(1);
    await serving.stop();
    market.proxy.changeResponses(null);
    expect(errors[0]).toMatchObject({ field: "delivery_record.typed_data" });
    expect((await buyer.client.orders.get(purchase.orderId)).delivery_record).toBe("none");
  });

  test("asks its node again that could not tell of the money at first, or was behind the service's", async () => {
    const service = await market.publish(provider);
    const behind = { result: `0x${"0".repeat(64 * 30)}` };
    const replaced = { error: { code: -32_602, message: "BlockOutOfRangeError: block height is 8" } };
    const left = [replaced, behind];
    const selector = toFunctionSelector("getEscrow(bytes32)");
    const node = await forwardRequests(market.stack.chain.rpcUrl, {
      treat: ({ params }) => (JSON.stringify(params).includes(selector) && left.shift()) || "forward",
    });
    const errors: unknown[] = [];
    const serving = serve(service, ({ number }) => ({ twice: 2 * number }), {
      wallet: provider.wallet,
      node: createPublicClient({ transport: http(node.url) }),
      onError: (error) => errors.push(error),
    });
    const purchase = await buy(service, 7);
    expect((await purchase.delivery()).output).toEqual({ twice: 14 });
    await serving.stop();
    await node.close();
    expect([errors, left]).toEqual([[], []]);
  });

  test("that is stopped while it waits for its node asks it once more", async () => {
    const service = await market.publish(provider);
    const selector = toFunctionSelector("getEscrow(bytes32)");
    let requestCount = 0;
    const node = await forwardRequests(market.stack.chain.rpcUrl, {
      treat: ({ params }) => {
        if (!JSON.stringify(params).includes(selector)) return "forward";
        requestCount += 1;
        return { result: `0x${"0".repeat(64 * 30)}` };
      },
    });
    const errors: unknown[] = [];
    const serving = serve(service, ({ number }) => ({ twice: 2 * number }), {
      wallet: provider.wallet,
      node: createPublicClient({ transport: http(node.url) }),
      onError: (error) => errors.push(error),
    });
    await buy(service, 8);
    await expect.poll(() => requestCount).toBeGreaterThan(0);
    const before = requestCount;
    await serving.stop();
    await node.close();
    expect(requestCount).toBe(before + 1);
    expect(errors).toEqual([]);
  });

  test("works on as many as it may, at once", async () => {
    const service = await market.publish(provider);
    let running = 0;
    let most = 0;
    const serving = serve(
      service,
      async ({ number }) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 300));
        running--;
        return { twice: 2 * number };
      },
      { concurrency: 2 },
    );
    const purchases = await Promise.all([1, 2, 3, 4].map((number) => buy(service, number)));
    const deliveries = await Promise.all(purchases.map((purchase) => purchase.delivery()));
    expect(deliveries.map(({ output }) => output)).toEqual([2, 4, 6, 8].map((twice) => ({ twice })));
    expect(most).toBe(2);
    await serving.stop();
  });
});

describe("a provider that is killed", () => {
  test.each<[when: string, shape: RegExp, calls: RegExp]>([
    ["between start and delivery", /^before POST .*\/deliver$/, /^called for 3 again\nstopped\n$/],
    ["while its start is answered", /^after POST .*\/start$/, /^called for 3 again\nstopped\n$/],
    ["while its delivery is answered", /^after POST .*\/deliver$/, /^stopped\n$/],
  ])("%s and started again has delivered once", async (_, shape, calls) => {
    const service = await market.publish(provider);
    const env = {
      BASE_URL: market.proxy.baseUrl,
      TOKEN: provider.token,
      WALLET_KEY: provider.key,
      RPC_URL: market.stack.chain.rpcUrl,
      AGENT: service.agent.slug,
    };
    const held = market.proxy.holdNext(shape);
    const purchase = await buy(service, 3);
    const first = runProgram("provider", env);
    await held;
    await first.kill();
    const second = runProgram("provider", env);
    expect((await purchase.delivery()).output).toEqual({ twice: 6 });
    await expect
      .poll(async () => (await buyer.client.orders.get(purchase.orderId)).delivery_record)
      .toBe("matched");
    await second.kill("SIGTERM");
    expect(await second.end()).toMatch(calls);
    const trail = (await buyer.client.orders.listTrail(purchase.orderId)).items.map(({ type }) => type);
    expect(trail.filter((type) => type === "order.started" || type === "order.delivered")).toEqual([
      "order.started",
      "order.delivered",
    ]);
  });
});

describe("serving an order in stages", () => {
  const stages = [
    { title: "A number", amount: "1.00", hours: 12, output_schema: { type: "object", required: ["twice"] } },
    { title: "A text", amount: "1.50", hours: 12 },
  ];

  test("the provider's handler delivers each stage, and the buyer's handler accepts it or asks for changes", async () => {
    const service = await market.publish(provider, { stages });
    const purchase = await buy(service, 4);
    const had = await market.balanceOf(provider.wallet.address);
    const worked: [number | undefined, string | null][] = [];
    const serving = serve(service, ({ number }, { stage, changes }) => {
      worked.push([stage?.number, changes]);
      if (stage?.number === 2) return { text: "eight" };
      return { twice: changes ? 2 * number : number };
    });
    const seen: unknown[] = [];
    const receipt = await purchase.onStage(({ stage, output }) => {
      seen.push([stage.number, stage.title, stage.amount, output]);
      return seen.length === 1 ? { changes: "Twice as much, please." } : "accept";
    });
    await serving.stop();
    expect(seen).toEqual([
      [1, "A number", 1_000_000n, { twice: 4 }],
      [1, "A number", 1_000_000n, { twice: 8 }],
      [2, "A text", 1_500_000n, { text: "eight" }],
    ]);
    expect(worked).toEqual([
      [1, null],
      [1, "Twice as much, please."],
      [2, null],
    ]);
    expect(receipt.document.amount).toBe("2500000");
    expect((await market.balanceOf(provider.wallet.address)) - had).toBe(2_500_000n);
  });

  test("a run after a crash continues with the stage that waits, and a handler that throws pays nothing", async () => {
    const service = await market.publish(provider, { stages });
    const first = await buy(service, 4);
    const serving = serve(service, ({ number }, { stage }) =>
      stage?.number === 1 ? { twice: 2 * number } : {},
    );
    const crash = first.onStage(({ stage }) => {
      if (stage.number === 2) throw new Error("The buyer's program ends.");
      return "accept";
    });
    await expect(crash).rejects.toThrow("The buyer's program ends.");
    const states = async () =>
      (await buyer.client.orders.get(first.orderId)).stages?.map(({ state }) => state);
    expect(await states()).toEqual(["accepted", "delivered"]);
    const wallet = market.stack.chain.wallet(buyer.wallet);
    const resumed = await buyer.client.resume(first.orderId, { wallet, issuer: market.issuer });
    const numbers: number[] = [];
    await resumed.onStage(({ stage }) => {
      numbers.push(stage.number);
      return "accept";
    });
    await serving.stop();
    expect(numbers).toEqual([2]);
    expect(await states()).toEqual(["accepted", "accepted"]);
  });

  test("an order whose stages are not those of the service is not paid", async () => {
    const service = await market.publish(provider, { stages });
    const [first, second] = service.stages ?? [];
    if (!first || !second) throw new Error("The service has no stages.");
    const swapped = [
      { ...first, amount: "1.500000" },
      { ...second, amount: "1.000000" },
    ];
    for (const [shown, field] of [
      [null, "agreement.stages"],
      [swapped, "agreement.stages[0].amount_base_units"],
    ] as const) {
      const listed = { ...service, stages: shown && [...shown] };
      await expect(buy(listed, 4)).rejects.toMatchObject({ field });
    }
  });
});
