import { afterAll, beforeAll, expect, test } from "vitest";
import type { TypedData } from "../../../protocol/settlement/signatures.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { placePermit2 } from "../../harness/flows/permit2.ts";
import { approvePermit2, signPermit } from "../../harness/flows/permits.ts";
import { ask, place } from "../../harness/market/market.ts";
import {
  createPaymentMarket,
  fromNow,
  type PaymentMarket,
  signPayment,
} from "../../harness/market/payments.ts";

// A chain with blocks of 12 seconds, polled every 4. A payment that is valid for six seconds would be mined
// too late, and the service would pay the gas.

let market: PaymentMarket;
let order: Answer["body"];
beforeAll(async () => {
  market = await createPaymentMarket({ POLLING_INTERVAL_31337: "4000" });
  await placePermit2(market.testChain);
  await approvePermit2({ chain: market.testChain }, market.buyer.account);
  order = await place(market, { settlement_rail: "x402" });
});
afterAll(() => market?.close());

const buyer = () => market.buyer.account;
const ways: [way: string, end: string, sign: (until: string) => Promise<unknown>][] = [
  [
    "authorization",
    "validBefore",
    (validBefore) => signPayment(market.testChain, order, buyer(), { validBefore }),
  ],
  [
    "permit2Authorization",
    "deadline",
    (deadline) => signPermit({ chain: market.testChain }, order, buyer(), { deadline }),
  ],
  [
    "receiveAuthorization",
    "validBefore",
    async (validBefore) => {
      const path = `/orders/${order.id}/payment-instructions`;
      const shown = expectStatus(200, await ask(market, market.buyer, "GET", path));
      const offered: TypedData = shown.receive_authorization;
      const data = { ...offered, message: { ...offered.message, validBefore } };
      return { signature: await buyer().signTypedData(data as never), receiveAuthorization: data.message };
    },
  ],
];

test.each(ways)("is 402 for a %s that ends before two blocks have passed, unused", async (_, end, sign) => {
  const pay = async (until: string) =>
    ask(market, market.buyer, "POST", `/orders/${order.id}/payment`, await sign(until));
  const { error } = expectStatus(402, await pay(fromNow(18)));
  expect(error.details).toMatchObject([{ path: expect.stringMatching(`${end}$`) }]);
  order = await place(market, { settlement_rail: "x402" });
  expectStatus(202, await pay(fromNow(40)));
  order = await place(market, { settlement_rail: "x402" });
});
