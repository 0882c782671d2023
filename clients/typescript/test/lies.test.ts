import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Order, type Service, UntrustedOrderError } from "../src/index.ts";
import { deriveDeposit } from "../src/settlement.ts";
import { joinMarket, type Market } from "./market.fixture.ts";

let market: Market;
let service: Service;

beforeAll(async () => {
  market = await joinMarket();
  service = await market.publish(await market.join());
});
afterAll(() => market?.close());
afterEach(() => market.proxy.changeResponses(null));

async function newBuyer() {
  const buyer = await market.join();
  const { issuer, stack } = market;
  const wallet = stack.chain.wallet(buyer.wallet);
  const had = await market.balanceOf(buyer.wallet.address);
  return {
    ...buyer,
    buy: (rail: "escrow" | "x402") =>
      buyer.client.buy(service, { number: 7 }, { wallet, maxAmount: "20", issuer, rail }),
    spent: async () => had - (await market.balanceOf(buyer.wallet.address)),
  };
}

describe("a service that lies is refused, with the field, and nothing is signed", () => {
  type Told = Record<string, never>;
  const other = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
  const hash = `0x${"11".repeat(32)}`;
  /** Changes one member of a path's response, as in `escrow.deposit_address`. */
  const setting = (path: RegExp, at: string, value: unknown) => (url: string, body: Told) => {
    if (!path.test(url)) return body;
    const steps = at.split(".");
    const last = steps.pop() ?? "";
    const owner = steps.reduce<Told>((one, step) => one[step] as unknown as Told, body);
    (owner as Record<string, unknown>)[last] = value;
    return body;
  };
  const order = /\/orders(\/ord_\w+)?$/;
  const agreement = /\/agreement$/;
  const instructions = /\/payment-instructions$/;

  test.each<[rail: "escrow" | "x402", path: RegExp, member: string, value: unknown, field: string]>([
    ["x402", order, "total_amount_base_units", "1", "order.total_amount_base_units"],
    ["x402", order, "provider_address", other, "order.provider_address"],
    ["x402", order, "buyer_address", other, "order.buyer_address"],
    ["x402", order, "arbiter", other, "order.arbiter"],
    ["x402", order, "settlement_rail", "escrow", "order.settlement_rail"],
    ["x402", instructions, "settlement_rail", "escrow", "payment_instructions.settlement_rail"],
    ["escrow", instructions, "settlement_rail", "x402", "payment_instructions.settlement_rail"],
    ["x402", order, "escrow.escrow_id", hash, "order.escrow.escrow_id"],
    ["x402", order, "escrow.deposit_address", other, "order.escrow.deposit_address"],
    ["x402", order, "escrow.contract_address", other, "order.escrow.contract_address"],
    ["x402", instructions, "amount_base_units", "9000000", "payment_instructions.amount_base_units"],
    ["x402", instructions, "deposit_address", other, "payment_instructions.deposit_address"],
    ["x402", instructions, "terms.provider", other, "payment_instructions.terms.provider"],
    [
      "x402",
      instructions,
      "payment_required.accepts.0.payTo",
      other,
      "payment_instructions.payment_required.accepts[0].payTo",
    ],
    [
      "x402",
      instructions,
      "payment_required.accepts.0.amount",
      "9000000",
      "payment_instructions.payment_required.accepts[0].amount",
    ],
    [
      "x402",
      instructions,
      "payment_required.accepts.0.asset",
      other,
      "payment_instructions.payment_required.accepts[0].asset",
    ],
    ["x402", instructions, "typed_data.message.to", other, "payment_instructions.typed_data.message.to"],
    ["x402", instructions, "typed_data.message.value", "9", "payment_instructions.typed_data.message.value"],
    [
      "x402",
      instructions,
      "typed_data.domain.verifyingContract",
      other,
      "payment_instructions.typed_data.domain.verifyingContract",
    ],
    ["x402", instructions, "typed_data.primaryType", "Permit", "payment_instructions.typed_data.primaryType"],
    ["escrow", instructions, "calls.0.to", other, "payment_instructions.calls[0].to"],
    ["escrow", instructions, "calls.0.data", "0x00", "payment_instructions.calls[0].data"],
    ["escrow", instructions, "calls.1.to", other, "payment_instructions.calls[1].to"],
    ["escrow", instructions, "calls.1.data", "0x00", "payment_instructions.calls[1].data"],
    ["escrow", instructions, "calls.1.value", "1", "payment_instructions.calls[1].value"],
  ])("%s, %s %s", async (rail, path, member, value, field) => {
    const buyer = await shared();
    market.proxy.changeResponses(setting(path, member, value));
    await refused(buyer, rail, field);
  });

  /** A service that lies consistently: it recomputes order, agreement and instructions. */
  test.each<[member: string, value: unknown]>([
    ["provider", other],
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
    ["token", { address: "same", symbol: "TUSD", decimals: 9 }],
  ])("consistently, about the agreement's %s", async (member, value) => {
    const buyer = await shared();
    let lied: Record<string, unknown> = {};
    // The order's response comes first. The liar reads the agreement before it, to change both consistently.
    const truth = await buyer.client.orders.getAgreement(buyer.orderId);
    lied = { ...truth, [member]: value };
    const token = truth.token as { address: string };
    if (member === "token" && (value as { address: string }).address === "same") {
      lied.token = { ...(value as object), address: token.address };
    }
    const { terms, chainId, escrowContract, escrowId, depositAddress } = deriveDeposit(lied);
    market.proxy.changeResponses((url, body) => {
      if (agreement.test(url)) return lied;
      if (!order.test(url)) return body;
      return {
        ...(body as Order),
        service_id: lied.service_id,
        quantity: lied.quantity,
        provider_address: terms.provider,
        arbiter: terms.arbiter,
        total_amount_base_units: String(terms.amount),
        escrow: {
          ...(body as Order).escrow,
          chain_id: chainId,
          contract_address: escrowContract,
          escrow_id: escrowId,
          deposit_address: depositAddress,
        },
      };
    });
    await refused(buyer, "x402", new RegExp(`^agreement\\.${member}`));
  });

  let one: (Awaited<ReturnType<typeof newBuyer>> & { orderId: string }) | undefined;
  /** One buyer whose order was placed and never paid. */
  async function shared() {
    if (one) return one;
    const buyer = await newBuyer();
    const placed = new Promise<string>((done) => {
      market.proxy.changeResponses((url, body) => {
        if (order.test(url)) done((body as Order).id);
        return setting(instructions, "deposit_address", other)(url, body);
      });
    });
    await refused(buyer, "x402", "payment_instructions.deposit_address");
    market.proxy.changeResponses(null);
    one = { ...buyer, orderId: await placed };
    return one;
  }

  async function refused(
    buyer: Awaited<ReturnType<typeof newBuyer>>,
    rail: "escrow" | "x402",
    field: string | RegExp,
  ) {
    const before = await market.stack.chain.publicClient.getTransactionCount(buyer.wallet);
    const error = await buyer.buy(rail).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UntrustedOrderError);
    expect((error as UntrustedOrderError).field).toMatch(field);
    expect(await buyer.spent()).toBe(0n);
    expect(await market.stack.chain.publicClient.getTransactionCount(buyer.wallet)).toBe(before);
  }
});
