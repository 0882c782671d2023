import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { forwardRequests, type Treatment } from "../../harness/jobs/processes.ts";
import { ask, expectRefusal, place } from "../../harness/market/market.ts";
import {
  createPaymentMarket,
  isUsed,
  newAccount,
  type PaymentMarket,
  signPayment,
} from "../../harness/market/payments.ts";

/** The fault of the nodes in front of the chains, and the requests that reached them. */
let treat: (method: string, params: unknown[]) => Treatment = () => "forward";
let methods: string[] = [];
const nodes: Awaited<ReturnType<typeof forwardRequests>>[] = [];
let market: PaymentMarket;
let order: Answer["body"];

/** Puts a node in front of a chain's. Returns its URL. */
async function startNode(rpcUrl: string): Promise<string> {
  const node = await forwardRequests(rpcUrl, {
    treat: ({ method, params }) => {
      methods.push(method);
      return treat(method, params);
    },
  });
  nodes.push(node);
  return node.url;
}

beforeAll(async () => {
  market = await createPaymentMarket({}, startNode);
});
afterAll(async () => {
  await market?.close();
  for (const node of nodes) await node.close();
});
beforeEach(async () => {
  methods = [];
  order = await place(market, { settlement_rail: "x402" });
});

const post = (body?: unknown) => ask(market, market.buyer, "POST", `/orders/${order.id}/payment`, body);

/** Asserts that the payment is 503 during the fault, writes nothing, and is valid afterwards. */
async function expectOutage(badNode: (method: string) => Treatment): Promise<void> {
  const signed = await signPayment(market.testChain, order, market.buyer.account);
  treat = badNode;
  try {
    const error = await expectRefusal(market, () => post(signed), 503, "dependency_unavailable");
    expect(error.message).toBe("The chain cannot be reached. Try again.");
    expect(error.details).toBeUndefined();
  } finally {
    treat = () => "forward";
  }
  expect(await isUsed(market.testChain, signed)).toBe(false);
  expectStatus(202, await post(signed));
}

const failing = (of: string, code: number, message: string) => (method: string) =>
  method === of ? { error: { code, message } } : ("forward" as const);

test("is 503 while the node cannot return the token's code, and no rejection ends the process", async () => {
  // The x402 verification caches for a while, by process, which tokens have code.
  const fresh = await createPaymentMarket({}, startNode, true);
  const unasked = await place(fresh, { settlement_rail: "x402" });
  const pay = (body: unknown) => ask(fresh, fresh.buyer, "POST", `/orders/${unasked.id}/payment`, body);
  const signed = await signPayment(fresh.testChain, unasked, fresh.buyer.account);
  const token = fresh.chain.token.address.toLowerCase();
  treat = (method, [address]) =>
    method === "eth_getCode" && String(address).toLowerCase() === token ? "lose" : "forward";
  try {
    // The verification ends at the signature while the call for the token's code is still in flight.
    const bad = { ...signed, signature: `0x${"11".repeat(65)}` };
    await expectRefusal(fresh, () => pay(bad), 402, "payment_required");
    await expectRefusal(fresh, () => pay(signed), 503, "dependency_unavailable");
    // An unhandled rejection would fail the run within this time.
    await new Promise((resolve) => setTimeout(resolve, 3000));
  } finally {
    treat = () => "forward";
    await fresh.close();
  }
});

describe("is 503, without blame on the signature, while the chain's node", () => {
  test("cannot return the wallet's code", () =>
    expectOutage((method) => (method === "eth_getCode" ? "lose" : "forward")));

  test("cannot simulate the transfer", () =>
    expectOutage((method) => (method === "eth_call" ? "lose" : "forward")));

  test("is unreachable", () => expectOutage(() => "lose"));

  test.each([
    ["eth_getCode", -32_005, "limit exceeded"],
    ["eth_call", -32_603, "internal error"],
    ["eth_call", -32_000, "header not found"],
    ["eth_call", -32_601, "method is not available at the moment"],
  ])("answers %s with the error %i %s", (method, code, message) =>
    expectOutage(failing(method, code, message)),
  );
});

/** The selector of the one call whose answer no token refuses. */
const balanceOf = "0x70a08231";

test("a refusal by the token itself is no outage, in any wording of the node", async () => {
  const signed = await signPayment(market.testChain, order, newAccount());
  for (const [code, message] of [
    [3, "execution reverted: balance"],
    [-32_000, "execution reverted"],
    [-32_603, "VM Exception: revert"],
  ] as const) {
    treat = (method, [call]) =>
      method === "eth_call" && !(call as { data: string }).data.startsWith(balanceOf)
        ? { error: { code, message } }
        : "forward";
    const answer = await post(signed);
    treat = () => "forward";
    expect([code, answer.status, answer.body.error.details[0].keyword]).toEqual([
      code,
      402,
      "invalid_exact_evm_transaction_simulation_failed",
    ]);
  }
});

test("the abilities of a token stay undecided during an outage, and are cached once known", async () => {
  const body = {
    service_id: market.service.id,
    input_payload: { text: "Guten Tag" },
    settlement_rail: "x402",
  };
  const fresh = await createPaymentMarket({}, startNode);
  try {
    const placeOne = () =>
      ask(fresh, fresh.buyer, "POST", "/orders", { ...body, service_id: fresh.service.id });
    for (const bad of [() => "lose" as const, failing("eth_call", -32_603, "internal error")]) {
      treat = bad;
      await expectRefusal(fresh, placeOne, 503, "dependency_unavailable").finally(() => {
        treat = () => "forward";
      });
    }
    expectStatus(201, await placeOne());
    methods = [];
    treat = () => "lose";
    const placed = expectStatus(201, await placeOne());
    expectStatus(402, await ask(fresh, fresh.buyer, "POST", `/orders/${placed.id}/payment`));
    expect(methods).toEqual([]);
  } finally {
    treat = () => "forward";
    await fresh.close();
  }
});
