import { fileURLToPath } from "node:url";
import { createContext, Script } from "node:vm";
import { transform } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundle } from "../../../tools/build/bundle.ts";
import { expectStatus, type Session } from "../../harness/api.ts";
import {
  ask,
  createMarket,
  type Market,
  place,
  placeDelivered,
  placeFunded,
} from "../../harness/market/market.ts";

let market: Market;
/** The built `earnest/settlement`, where only the language and TextEncoder exist. */
let protocol: typeof import("../../../protocol/settlement/index.ts");

beforeAll(async () => {
  const code = await bundle(fileURLToPath(new URL("../../../protocol/settlement/index.ts", import.meta.url)));
  // The bundle has no import left.
  expect(code).not.toMatch(/\bimport\b|\brequire\b|node:/);
  const context = createContext({ TextEncoder });
  const names = ["process", "Buffer", "require", "crypto", "fetch"];
  expect(new Script(`[${names.map((name) => `typeof ${name}`)}]`).runInContext(context)).toEqual(
    names.map(() => "undefined"),
  );
  const script = await transform(code, { format: "iife", globalName: "settlement" });
  new Script(script.code).runInContext(context);
  protocol = context.settlement;
  market = await createMarket();
});
afterAll(() => market?.api.close());

async function read(path: string, who: Session = market.buyer) {
  return expectStatus(200, await ask(market, who, "GET", path));
}

/** The values that an outsider computes from an order's agreement, and those of the API. */
async function recompute(id: string) {
  const [order, agreement] = [await read(`/orders/${id}`), await read(`/orders/${id}/agreement`)];
  return { order, agreement, derived: protocol.deriveDeposit(agreement) };
}

test("an outsider computes the escrow's id, the deposit address and the digests from the agreement", async () => {
  const { id } = await place(market);
  const { order, agreement, derived } = await recompute(id);
  expect(order.escrow).toMatchObject({
    chain_id: derived.chainId,
    contract_address: derived.escrowContract,
    escrow_id: derived.escrowId,
    deposit_address: derived.depositAddress,
  });
  const { terms } = await read(`/orders/${id}/payment-instructions`);
  expect(protocol.readTerms(terms)).toEqual(derived.terms);
  expect(protocol.depositOf(derived.chainId, derived.escrowContract, derived.terms)).toEqual({
    escrowId: derived.escrowId,
    implementation: derived.implementation,
    depositAddress: derived.depositAddress,
  });
  expect(protocol.digestOf(agreement)).toBe(terms.orderHash);
  expect(protocol.digestOf(order.input_payload)).toBe(agreement.input_digest);
  expect(protocol.formatAmount(derived.terms.amount, agreement.token.decimals)).toBe(order.total_amount);
  expect(protocol.parseAmount(order.total_amount, agreement.token.decimals)).toBe(derived.terms.amount);
  expect(protocol.orderStatuses).toContain(order.status);
});

test("malformed terms are refused by name", () => {
  expect(() => protocol.readTerms({})).toThrow(/These are not the terms of an order:[\s\S]*orderHash/);
});

test("an outsider computes the calls that pay an order by its buyer's wallet", async () => {
  const { id } = await place(market);
  const { derived } = await recompute(id);
  const { calls } = await read(`/orders/${id}/payment-instructions`);
  expect([protocol.approveCall(derived), protocol.createEscrowCall(derived)]).toEqual(calls);
});

test("an outsider computes what a payer signs by x402", async () => {
  const { id } = await place(market, { settlement_rail: "x402" });
  const { order, derived } = await recompute(id);
  const { payment_required, typed_data } = await read(`/orders/${id}/payment-instructions`);
  const [first] = payment_required.accepts;
  const payable = {
    chainId: derived.chainId,
    token: { address: derived.terms.token, name: first.extra.name, version: first.extra.version },
    amount: derived.terms.amount,
    depositAddress: derived.depositAddress,
    fundBy: derived.terms.fundBy,
  };
  const now = BigInt(typed_data.message.validBefore - first.maxTimeoutSeconds);
  expect(protocol.requirementsOf(payable, ["eip3009"], now)[0]).toEqual(first);
  const { nonce } = typed_data.message;
  expect(protocol.authorizationData(payable, order.buyer_address, nonce, now)).toEqual(typed_data);
});

test("an outsider computes each party's acts, with calls and typed data", async () => {
  const { id } = await placeFunded(market);
  const { order, derived } = await recompute(id);
  const { actions, your_roles } = await read(`/orders/${id}/settlement-options`);
  const release = actions.find(({ action }: { action: string }) => action === "release");
  const situation = {
    ...derived,
    escrow: {
      status: order.escrow.status,
      deliveryDeadline: BigInt(Date.parse(order.delivery_deadline) / 1000),
      deliveryCount: 0,
      earnedAmount: 0n,
      paidAmount: 0n,
      claimAcceptedAt: null,
      acceptedAmount: null,
      autoReleaseAt: null,
      outputHash: null,
      decideBy: null,
      settleableAt: null,
    },
    outputHash: null,
    depositBalance: 0n,
    // A signature is valid for a day.
    now: BigInt(release.typed_data.message.deadline) - 86_400n,
    roles: your_roles,
  };
  expect(protocol.settlementOptions(situation)).toEqual(
    actions.map(({ note: _, ...action }: { note: string | null }) => action),
  );
});

test("an outsider computes what a provider signs to record a delivery", async () => {
  const output = { translation: "Good day" };
  const { id } = await placeDelivered(market, output);
  const { order, derived } = await recompute(id);
  const { typed_data } = await read(`/orders/${id}/delivery-record`, market.provider);
  const outputHash = protocol.digestOf(output);
  const deliveryDeadline = BigInt(Date.parse(order.delivery_deadline) / 1000);
  const escrow = { deliveryCount: 0, deliveryDeadline };
  expect(protocol.recordDeliveryData({ ...derived, escrow, outputHash })).toEqual(typed_data);
});
