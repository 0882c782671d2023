import { decodePaymentRequiredHeader } from "@x402/core/http";
import { expect } from "vitest";
import { type Answer, expectStatus } from "../api.ts";
import { ask, expectRefusal, place } from "./market.ts";
import { type Authorization, createPaymentMarket, signPayment } from "./payments.ts";

export type Refusals = Awaited<ReturnType<typeof startRefusals>>;

/** The parts of tests of refused payments: an order to be paid, and another of the same buyer. */
export async function startRefusals() {
  const market = await createPaymentMarket();
  const order: Answer["body"] = await place(market, { settlement_rail: "x402" });
  const other: Answer["body"] = await place(market, { settlement_rail: "x402" });
  const offered = expectStatus(402, await post(order)).accepts[0];

  return {
    market,
    order,
    other,
    offered,
    post,
    expectRefused,
    expectInvalid,

    sign: (change: Partial<Authorization> = {}, of = order, payer = market.buyer.account) =>
      signPayment(market.testChain, of, payer, change),

    /** A payment as a stock client sends it. */
    payloadOf: (signed: object, accepted: object = {}, more: object = {}) => ({
      x402Version: 2,
      accepted: { ...offered, ...accepted },
      payload: signed,
      ...more,
    }),
  };

  function post(of: { id: string }, body?: unknown, headers?: Record<string, string>, who = market.buyer) {
    return ask(market, who, "POST", `/orders/${of.id}/payment`, body, { headers });
  }

  /** Asserts a 402 with this reason and new terms, no rows written, and the authorization unused. */
  async function expectRefused(
    body: unknown,
    [reason, path, message]: [reason: string, path: string, message: RegExp],
    headers?: Record<string, string>,
  ): Promise<void> {
    let headersOf: Headers | undefined;
    const error = await expectRefusal(
      market,
      async () => {
        const answer = await post(order, body, headers);
        headersOf = answer.headers;
        return answer;
      },
      402,
      "payment_required",
      message,
    );
    expect(error.details).toEqual([{ path, keyword: reason, message: error.message }]);
    const again = decodePaymentRequiredHeader(headersOf?.get("payment-required") ?? "");
    expect(again).toMatchObject({
      x402Version: 2,
      error: reason,
      accepts: [{ payTo: order.escrow.deposit_address }],
    });
    expect(headersOf?.get("cache-control")).toBe("private, no-store");
  }

  /** Asserts a 400 with these faults, and no rows written. */
  async function expectInvalid(
    body: unknown,
    faults: [path: string, keyword: string][],
    headers?: Record<string, string>,
  ): Promise<void> {
    const error = await expectRefusal(market, () => post(order, body, headers), 400, "invalid_request");
    expect(error.details.map((one: { path: string; keyword: string }) => [one.path, one.keyword])).toEqual(
      faults,
    );
  }
}
