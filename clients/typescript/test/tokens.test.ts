import { createWalletClient, http, parseUnits } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ToolContext } from "../mcp/tool-context.ts";
import { payingTools } from "../mcp/tools/payment-tools.ts";
import { priceIn } from "../src/buying/tokens.ts";
import {
  type BuyOptions,
  type HeldToken,
  type Order,
  type Service,
  UntrustedOrderError,
} from "../src/index.ts";
import { deriveDeposit, findNetwork } from "../src/settlement.ts";
import type { Member } from "./market.fixture.ts";
import { type Offered, startTwoChains } from "./two-chains.fixture.ts";

let market: Awaited<ReturnType<typeof startTwoChains>>;
let provider: Member;
let buyer: Member;
let service: Service;

beforeAll(async () => {
  market = await startTwoChains();
  const accepts = Object.values(market.tokens).map(({ chainId, address }) => ({
    chain_id: chainId,
    token: address,
  }));
  [provider, buyer] = [await market.join(), await market.join()];
  service = await market.publish(provider, { price_currency: "USD", accepts });
  await market.enrich(buyer.wallet);
});
afterAll(() => market?.close());
afterEach(() => market.proxy.changeResponses(null));

type Name = "six" | "eighteen" | "two" | "eight";

const holds = ({ chainId, address }: Offered, more: Partial<HeldToken> = {}): HeldToken => ({
  chainId,
  token: address,
  ...more,
});

let inputs = 0;
/** Each purchase has an input of its own, so that it is a purchase of its own. */
const buy = (options: Partial<BuyOptions>) =>
  buyer.client.buy(
    service,
    { number: ++inputs },
    { wallet: buyer.wallet, node: market.nodes, issuer: market.issuer, ...options },
  );

async function fieldOf(purchase: Promise<unknown>): Promise<string> {
  const error = await purchase.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UntrustedOrderError);
  return (error as UntrustedOrderError).field;
}

const ordersOf = async () => (await buyer.client.orders.list({ limit: 1 })).body.total;

describe("paying with a chosen token", () => {
  test.each<Name>(["six", "eighteen", "two", "eight"])("of %s decimals, by one signature", async (name) => {
    const { decimals, chainId, address, symbol } = market.tokens[name];
    const purchase = await buy({ payWith: holds(market.tokens[name], { maxAmount: "2.5" }) });
    expect(purchase.order).toMatchObject({ status: "funded", currency: symbol });
    expect(purchase.agreed).toMatchObject({
      chainId,
      terms: { token: address, amount: parseUnits("2.5", decimals) },
    });
  });

  test("by two calls of a wallet of the second chain, and a resumed order keeps its token", async () => {
    const { eight, six } = market.tokens;
    const wallet = createWalletClient({ account: buyer.wallet, transport: http(eight.rpcUrl) });
    const payWith = holds(eight);
    const purchase = await buy({ wallet, rail: "escrow", payWith, maxAmount: "3" });
    expect(purchase.order.status).toBe("funded");
    const options = { wallet, node: market.nodes, issuer: market.issuer };
    const again = await buyer.client.resume(purchase.orderId, { ...options, payWith });
    expect(again.agreed.chainId).toBe(eight.chainId);
    const other = buyer.client.resume(purchase.orderId, { ...options, payWith: holds(six) });
    expect(await fieldOf(other)).toBe("agreement.chain");
  });

  test("a wallet of the first chain does not send the calls of an order on the second", async () => {
    const { six, eight } = market.tokens;
    const wallet = createWalletClient({ account: buyer.wallet, transport: http(six.rpcUrl) });
    const purchase = buy({ wallet, rail: "escrow", payWith: holds(eight), maxAmount: "3" });
    await expect(purchase).rejects.toThrow(/needs a viem wallet client/);
  });

  test("the first held token that the service accepts pays, and a repeated purchase is the same order", async () => {
    const { eighteen, two, eight } = market.tokens;
    const onlyEight = await market.publish(provider, {
      price_currency: "USD",
      accepts: [{ chain_id: eight.chainId, token: eight.address }],
    });
    const payWith = [holds(two, { maxAmount: "2.5" }), holds(eight, { maxAmount: "2.5" })];
    const options = { wallet: buyer.wallet, node: market.nodes, issuer: market.issuer, payWith };
    const first = await buyer.client.buy(onlyEight, { number: 1 }, options);
    expect(first.order.currency).toBe("EIGHT");
    const again = await buyer.client.buy(onlyEight, { number: 1 }, options);
    expect(again.orderId).toBe(first.orderId);

    const had = await ordersOf();
    const none = buyer.client.buy(
      onlyEight,
      { number: 2 },
      { ...options, payWith: [holds(eighteen, { maxAmount: "3" })] },
    );
    expect(await fieldOf(none)).toBe("service.accepts");
    expect(await ordersOf()).toBe(had);
  });

  test("each of several tokens has a maximum of its own, which is compared in its own units", async () => {
    const { eighteen, two } = market.tokens;
    const shared = buy({ payWith: [holds(two), holds(eighteen)], maxAmount: "20" });
    await expect(shared).rejects.toThrow(/maxAmount of its own/);
    await expect(buy({ payWith: [], maxAmount: "20" })).rejects.toThrow(/payWith is empty/);
    await expect(buy({ payWith: holds(two) })).rejects.toThrow(/Pass maxAmount/);
    const low = [holds(two, { maxAmount: "2.49" }), holds(eighteen, { maxAmount: "20" })];
    expect(await fieldOf(buy({ payWith: low, maxAmount: "20" }))).toBe("agreement.amount_base_units");
  });

  test("a quote is paid with the chosen token, at the quoted price", async () => {
    const { eighteen } = market.tokens;
    const request = await buyer.client.requests.post({
      title: "Twice a number",
      description: "One number.",
      tags: ["double"],
    });
    const quote = await provider.client.quotes.give(request.id, {
      agent_slug: service.agent.slug,
      service_id: service.id,
      price: "1.25",
      delivery_time_hours: 2,
    });
    const purchase = await buyer.client.buyQuote(
      quote,
      { number: 3 },
      {
        wallet: buyer.wallet,
        node: market.nodes,
        issuer: market.issuer,
        payWith: holds(eighteen, { maxAmount: "1.25" }),
      },
    );
    expect(purchase.agreed.terms.amount).toBe(parseUnits("1.25", 18));
  });
});

describe("a service that lies about tokens is refused, and nothing is paid", () => {
  /** Changes the service as the buyer sees it. */
  const shown = (name: Name, change: Partial<Service["accepts"][number]>): Service => ({
    ...service,
    accepts: service.accepts.map((one) =>
      one.token === market.tokens[name].address ? { ...one, ...change } : one,
    ),
  });
  const buyShown = (seen: Service, name: Name) =>
    buyer.client.buy(
      seen,
      { number: ++inputs },
      {
        wallet: buyer.wallet,
        node: market.nodes,
        issuer: market.issuer,
        payWith: holds(market.tokens[name], { maxAmount: "20" }),
      },
    );

  test("about its decimals or its price, in what it accepts", async () => {
    expect(await fieldOf(buyShown(shown("eighteen", { decimals: 6 }), "eighteen"))).toBe(
      "service.accepts.decimals",
    );
    expect(await fieldOf(buyShown(shown("two", { price: "2.49" }), "two"))).toBe("service.accepts.price");
  });

  test("about a price that its token cannot pay exactly", async () => {
    const fine = { ...shown("two", { price: "2.501" }), price: "2.501" };
    expect(await fieldOf(buyShown(fine, "two"))).toBe("service.price");
  });

  /** Makes the service show another agreement of each order, and compute the order's addresses from that agreement. */
  function lieConsistently(change: Change): void {
    let lied: Record<string, unknown> | null = null;
    const honest = market.stack.baseUrl;
    market.proxy.changeResponses(async (url: string, body: never) => {
      if (/\/agreement$/.test(url)) return lied;
      if (!/\/orders(\/ord_\w+)?$/.test(url)) return body;
      const order = body as Order;
      const answer = await fetch(`${honest}/api/v1/orders/${order.id}/agreement`, {
        headers: { authorization: `Bearer ${buyer.token}` },
      });
      lied = change((await answer.json()) as Record<string, unknown>);
      const { terms, chainId, escrowContract, escrowId, depositAddress } = deriveDeposit(lied);
      return {
        ...order,
        total_amount_base_units: String(terms.amount),
        escrow: {
          ...order.escrow,
          chain_id: chainId,
          contract_address: escrowContract,
          escrow_id: escrowId,
          deposit_address: depositAddress,
        },
      };
    });
  }

  type Change = (truth: Record<string, unknown>) => Record<string, unknown>;
  const swapped =
    (name: Name, decimals?: number): Change =>
    (truth) => {
      const { address, symbol, ...token } = market.tokens[name];
      return { ...truth, token: { address, symbol, decimals: decimals ?? token.decimals } };
    };
  test.each<[what: string, change: Change, field: string]>([
    ["the decimals of a token", swapped("eighteen", 6), "agreement.token.decimals"],
    ["the token", swapped("six"), "agreement.token.address"],
    [
      "the chain",
      (truth) => ({ ...truth, chain: `eip155:${market.tokens.eight.chainId}` }),
      "agreement.chain",
    ],
    [
      "the chain and the token",
      (truth) => swapped("eight")({ ...truth, chain: `eip155:${market.tokens.eight.chainId}` }),
      "agreement.chain",
    ],
    [
      "the amount, as of a token with other decimals",
      (truth) => ({ ...truth, amount_base_units: "2500000", unit_price_base_units: "2500000" }),
      "agreement.unit_price_base_units",
    ],
  ])("consistently, about %s", async (_, change, field) => {
    lieConsistently(change);
    const payWith = holds(market.tokens.eighteen, { maxAmount: "20" });
    expect(await fieldOf(buy({ payWith }))).toBe(field);
  });

  test("about the amount, after an assistant's user agreed to pay it", async () => {
    const { eighteen } = market.tokens;
    const reserved: string[] = [];
    const pay = async (maxAmount: string) => {
      const context: ToolContext = {
        earnest: buyer.client,
        scopes: ["orders:read", "orders:write"],
        keysUrl: "",
        verify: () => Promise.reject(new Error("No receipt is verified.")),
        waits: { longest: 60, acquire: async () => () => {} },
        wallet: {
          wallet: buyer.wallet,
          address: buyer.wallet.address,
          nodes: market.nodes,
          tokens: [holds(eighteen, { maxAmount })],
          limits: { perOrder: "20", perDay: "20" },
          listSpent: async () => [],
          spent: async () => "0.00",
          async reserve(_, amount) {
            reserved.push(amount);
            const units = String(parseUnits("19", eighteen.decimals));
            lieConsistently((truth) => ({
              ...truth,
              amount_base_units: units,
              unit_price_base_units: units,
            }));
          },
        },
      };
      const { id } = await buyer.client.orders.place({
        service_id: service.id,
        input_payload: { number: ++inputs },
        settlement_rail: "x402" as const,
        pay_with: { chain_id: eighteen.chainId, token: eighteen.address },
      });
      const input = {
        order_id: id,
        expected_amount: "2.5",
        expected_token: eighteen.address,
        expected_chain_id: eighteen.chainId,
      };
      const call = { signal: AbortSignal.timeout(60_000), progress: async () => {} };
      const tool = payingTools.find(({ name }) => name === "pay_order");
      const [text] = (await tool?.call(context, input, call))?.content ?? [];
      return text?.type === "text" ? text.text : "";
    };
    expect(await pay("2.49")).toContain("exceeds the limit of 2.49");
    expect(reserved).toEqual([]);
    expect(await pay("20")).toContain("agreement.amount_base_units");
    expect(reserved.map(Number)).toEqual([2.5]);
  });

  test("about the currency of a known token", () => {
    const { chain_id: chainId, token } = findNetwork(8453) as never as {
      chain_id: number;
      token: { address: `0x${string}` };
    };
    const agreed = { orderId: "ord_1", chainId, terms: { token: token.address } };
    const accepts = [
      {
        chain_id: chainId,
        network_name: "Base",
        token: token.address,
        symbol: "USDC",
        decimals: 6,
        price: "2.5",
        acceptance_hours: 72,
        arbiters: [],
      },
    ];
    const priced = (price_currency: string) =>
      priceIn(agreed, { ...service, price: "2.5", price_currency, accepts }, 6);
    expect([priced("USD"), priced("USDC")]).toEqual([2_500_000n, 2_500_000n]);
    expect(() => priced("EUR")).toThrow(/service.price_currency is EUR, expected USD/);
  });
});
