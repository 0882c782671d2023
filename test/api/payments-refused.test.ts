import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from "@x402/core/http";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { order as orderTable, payment, relay } from "../../db/schema.ts";
import { type Answer, createKey, expectStatus } from "../harness/api.ts";
import { ask, countRows, expectRefusal, indexer, place, rowOf, settleNow } from "./orders.fixture.ts";
import {
  type Authorization,
  createPaymentMarket,
  fromNow,
  isUsed,
  newAccount,
  type PaymentMarket,
  type Signed,
  sendAsStranger,
  signPayment,
} from "./payments.fixture.ts";

let market: PaymentMarket;
/** The order that is to be paid, what its 402 answer offers, and another order of the same buyer. */
let order: Answer["body"];
let offered: Answer["body"];
let other: Answer["body"];

beforeAll(async () => {
  market = await createPaymentMarket();
  order = await place(market, { settlement_rail: "x402" });
  other = await place(market, { settlement_rail: "x402" });
  offered = expectStatus(402, await post(order)).accepts[0];
});
afterAll(() => market?.close());

const pathOf = ({ id }: { id: string }) => `/orders/${id}/payment`;

function post(of: { id: string }, body?: unknown, headers?: Record<string, string>, who = market.buyer) {
  return ask(market, who, "POST", pathOf(of), body, { headers });
}

const sign = (change: Partial<Authorization> = {}, of = order, payer = market.buyer.account) =>
  signPayment(market.testChain, of, payer, change);

/** A payment as a stock client sends it. */
const payloadOf = (signed: object, accepted: object = {}, more: object = {}) => ({
  x402Version: 2,
  accepted: { ...offered, ...accepted },
  payload: signed,
  ...more,
});

/** Expects a 402 that names this reason and asks anew, with nothing written and the authorization unused. */
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

/** Expects a 400 with these faults, and nothing written. */
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

describe("402 for what is signed otherwise than asked, unused", () => {
  const now = () => Math.floor(Date.now() / 1000);
  type Make = () => Promise<Signed>;
  const cases: [what: string, Make, [reason: string, path: string, message: RegExp]][] = [
    [
      "another order's deposit address",
      () => sign({ to: other.escrow.deposit_address }),
      ["invalid_exact_evm_recipient_mismatch", "/payload/authorization/to", /deposit address/],
    ],
    [
      "the provider's own address",
      () => sign({ to: market.provider.account.address }),
      ["invalid_exact_evm_recipient_mismatch", "/payload/authorization/to", /deposit address/],
    ],
    [
      "less than the amount",
      () => sign({ value: "2499999" }),
      ["invalid_exact_evm_payload_authorization_value_mismatch", "/payload/authorization/value", /exact/],
    ],
    [
      "more than the amount",
      () => sign({ value: "2500001" }),
      ["invalid_exact_evm_payload_authorization_value_mismatch", "/payload/authorization/value", /exact/],
    ],
    [
      "a value altered after signing",
      async () => alter(await sign({ value: "1" }), { value: "2500000" }),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "a receiver altered after signing",
      async () =>
        alter(await sign({ to: market.provider.account.address }), { to: order.escrow.deposit_address }),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "a nonce altered after signing",
      async () => alter(await sign(), { nonce: `0x${"ab".repeat(32)}` }),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "an authorization that has expired",
      () => sign({ validBefore: String(now() - 1) }),
      [
        "invalid_exact_evm_payload_authorization_valid_before",
        "/payload/authorization/validBefore",
        /expired/,
      ],
    ],
    [
      "one that expires within seconds",
      () => sign({ validBefore: String(now() + 3) }),
      [
        "invalid_exact_evm_payload_authorization_valid_before",
        "/payload/authorization/validBefore",
        /within seconds/,
      ],
    ],
    [
      "one that is not good yet",
      () => sign({ validAfter: fromNow(3600), validBefore: fromNow(7200) }),
      ["invalid_exact_evm_payload_authorization_valid_after", "/payload/authorization/validAfter", /future/],
    ],
    [
      "a garbage signature",
      async () => ({ ...(await sign()), signature: `0x${"11".repeat(65)}` }),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "a signature of two bytes",
      async () => ({ ...(await sign()), signature: "0x1234" }),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "another payer's signature",
      async () => {
        const { signature, authorization } = await sign({}, order, newAccount());
        return { signature, authorization: { ...authorization, from: market.buyer.account.address } };
      },
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "a signature for another chain",
      () => signPayment(market.testChain, order, market.buyer.account, {}, { chainId: 1 }),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "a signature for another token",
      () =>
        signPayment(
          market.testChain,
          order,
          market.buyer.account,
          {},
          { verifyingContract: market.chain.escrow_contract },
        ),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "a contract wallet's signature where no wallet stands",
      async () => ({ ...(await sign({}, order, newAccount())), signature: `0x${"22".repeat(130)}` }),
      ["invalid_exact_evm_signature", "/payload/signature", /must stand on the chain/],
    ],
    [
      "a payer who holds nothing",
      () => sign({}, order, newAccount()),
      ["invalid_exact_evm_insufficient_balance", "/payload/authorization/from", /holds less/],
    ],
  ];

  test.each(cases)("%s", async (_, make, refusal) => {
    const signed = await make();
    await expectRefused(signed, refusal);
    await expectRefused(payloadOf(signed), refusal);
    expect(await isUsed(market.testChain, signed)).toBe(false);
  });

  test("an authorization that its payer cancelled", async () => {
    const signed = await sign();
    await cancel(signed);
    await expectRefused(signed, [
      "invalid_exact_evm_nonce_already_used",
      "/payload/authorization/nonce",
      /used or cancelled/,
    ]);
  });

  test("an authorization that was used to pay another order", async () => {
    const third = await place(market, { settlement_rail: "x402" });
    const used = await sign({}, third);
    await sendAsStranger(market.testChain, used);
    const signed = await sign({ nonce: used.authorization.nonce });
    await expectRefused(signed, [
      "invalid_exact_evm_nonce_already_used",
      "/payload/authorization/nonce",
      /used or cancelled/,
    ]);
  });

  test("a permit for Permit2, which stands not on this chain", async () => {
    const refusal: [string, string, RegExp] = ["unsupported_payload_type", "/payload", /not offered/];
    const permit = {
      signature: `0x${"11".repeat(65)}`,
      permit2Authorization: {
        from: market.buyer.account.address,
        permitted: { token: market.chain.token.address, amount: "2500000" },
        spender: market.chain.escrow_contract,
        nonce: "1",
        deadline: fromNow(300),
        witness: { to: order.escrow.deposit_address, validAfter: "0" },
      },
    };
    await expectRefused(permit, refusal);
    await expectRefused(
      payloadOf(permit, { extra: { ...offered.extra, assetTransferMethod: "permit2" } }),
      refusal,
    );
  });

  function alter({ signature, authorization }: Signed, change: Partial<Authorization>): Signed {
    return { signature, authorization: { ...authorization, ...change } };
  }
});

describe("402 for a payment that accepts what was not offered, unused", () => {
  const cases: [member: string, value: () => string, [reason: string, path: string, message: RegExp]][] = [
    ["scheme", () => "upto", ["invalid_exact_evm_scheme", "/accepted/scheme", /upto.*exact/]],
    [
      "network",
      () => "eip155:1",
      ["invalid_exact_evm_network_mismatch", "/accepted/network", /eip155:1,.*eip155:31337/],
    ],
    [
      "asset",
      () => market.chain.escrow_contract,
      ["invalid_exact_evm_asset_mismatch", "/accepted/asset", /asks for 0x/],
    ],
    ["asset", () => "gold", ["invalid_exact_evm_asset_mismatch", "/accepted/asset", /gold.*asks for 0x/]],
    [
      "payTo",
      () => other.escrow.deposit_address,
      ["invalid_exact_evm_recipient_mismatch", "/accepted/payTo", /asks for 0x/],
    ],
    ["amount", () => "1", ["invalid_exact_evm_amount_mismatch", "/accepted/amount", /1,.*2500000/]],
    ["amount", () => "2500000.0", ["invalid_exact_evm_amount_mismatch", "/accepted/amount", /2500000\.0,/]],
  ];

  test.each(cases)("%s", async (member, value, refusal) => {
    const signed = await sign();
    const payload = payloadOf(signed, { [member]: value() });
    await expectRefused(payload, refusal);
    await expectRefused(undefined, refusal, {
      "payment-signature": encodePaymentSignatureHeader(payload as never),
    });
    expect(await isUsed(market.testChain, signed)).toBe(false);
  });

  test("a long or odd value is repeated in part, and as text", async () => {
    const network = `${"\u0000\ud800<script>"}${"x".repeat(5000)}`;
    const header = Buffer.from(JSON.stringify(payloadOf(await sign(), { network }))).toString("base64");
    const { body } = await post(order, undefined, { "payment-signature": header });
    expect(body.error.message.length).toBeLessThan(300);
  });
});

describe("400 for what is no payment", () => {
  test.each([
    ["that is no base64", "%%%"],
    ["of other bytes", Buffer.from([0xff, 0xfe, 0x00]).toString("base64")],
    ["of text that is not JSON", Buffer.from("{").toString("base64")],
    ["that is empty", ""],
  ])("a header %s", async (_, header) => {
    await expectInvalid(undefined, [["", "base64"]], { "payment-signature": header });
  });

  test.each([
    ["null", "invalid_type"],
    ["[]", "invalid_type"],
    ['"text"', "invalid_type"],
    ["7", "invalid_type"],
  ])("a header with the JSON %s", async (json) => {
    const error = await expectRefusal(
      market,
      () => post(order, undefined, { "payment-signature": Buffer.from(json).toString("base64") }),
      400,
      "invalid_request",
      /x402/,
    );
    expect(error.details.length).toBeGreaterThan(0);
  });

  test.each([1, 3, "2", null])("x402Version %s", async (x402Version) => {
    await expectInvalid(payloadOf(await sign(), {}, { x402Version }), [["/x402Version", "invalid_value"]]);
  });

  const shapes: [
    what: string,
    change: (signed: Signed) => object,
    faults: [path: string, keyword: string][],
  ][] = [
    ["no signature", ({ authorization }) => ({ authorization }), [["/signature", "invalid_type"]]],
    ["no authorization", ({ signature }) => ({ signature }), [["/authorization", "invalid_type"]]],
    [
      "a number for the value",
      (signed) => changed(signed, { value: 2_500_000 }),
      [["/authorization/value", "invalid_type"]],
    ],
    [
      "a value with a sign",
      (signed) => changed(signed, { value: "-1" }),
      [["/authorization/value", "invalid_format"]],
    ],
    [
      "a value in hex",
      (signed) => changed(signed, { value: "0x2625a0" }),
      [["/authorization/value", "invalid_format"]],
    ],
    [
      "a value beyond uint256",
      (signed) => changed(signed, { value: (2n ** 256n).toString() }),
      [["/authorization/value", "custom"]],
    ],
    [
      "a nonce of 31 bytes",
      (signed) => changed(signed, { nonce: `0x${"ab".repeat(31)}` }),
      [["/authorization/nonce", "invalid_format"]],
    ],
    [
      "a payer that is no address",
      (signed) => changed(signed, { from: "vitalik.eth" }),
      [["/authorization/from", "custom"]],
    ],
    [
      "a signature of half a byte",
      (signed) => ({ ...signed, signature: "0x123" }),
      [["/signature", "invalid_format"]],
    ],
    ["an empty signature", (signed) => ({ ...signed, signature: "0x" }), [["/signature", "invalid_format"]]],
    [
      "a permit with holes",
      ({ signature }) => ({ signature, permit2Authorization: {} }),
      ["from", "permitted", "spender", "nonce", "deadline", "witness"].map((name) => [
        `/permit2Authorization/${name}`,
        "invalid_type",
      ]),
    ],
  ];

  test.each(shapes)("%s", async (_, change, faults) => {
    const signed = change(await sign());
    // Without a signature a body is no payment unless it says so.
    if ("signature" in signed) await expectInvalid(signed, faults);
    await expectInvalid(
      payloadOf(signed),
      faults.map(([path, keyword]) => [`/payload${path}`, keyword]),
    );
  });

  test("a payload without what was accepted", async () => {
    const { accepted: _, ...rest } = payloadOf(await sign());
    await expectInvalid(rest, [["/accepted", "invalid_type"]]);
  });

  function changed({ signature, authorization }: Signed, change: object) {
    return { signature, authorization: { ...authorization, ...change } };
  }
});

test("413 for a payment over 64 KiB, as the body and in the header", async () => {
  const signed = await sign();
  const large = { ...signed, signature: `0x${"00".repeat(33_000)}` as Hex };
  await expectRefusal(market, () => post(order, large), 413, "payload_too_large", /65536 bytes/);
  const header = encodePaymentSignatureHeader(payloadOf(large) as never);
  await expectRefusal(
    market,
    () => post(order, undefined, { "payment-signature": header }),
    413,
    "payload_too_large",
    /65536 bytes/,
  );
  // Just under it is looked at.
  const fitting = { ...signed, signature: `0x${"00".repeat(32_000)}` as Hex };
  await expectRefused(fitting, ["invalid_exact_evm_signature", "/payload/signature", /must stand/]);
});

test("a signature of any length and content is refused, and nothing breaks", async () => {
  const { authorization } = await sign();
  const magic = "6492".repeat(16);
  const zeros = "00".repeat(32);
  for (const signature of [
    "00",
    "00".repeat(64),
    "ff".repeat(65),
    `${"11".repeat(64)}1b`,
    "00".repeat(66),
    magic,
    `00${magic}`,
    `${zeros.repeat(3)}${magic}`,
    `${"ff".repeat(96)}${magic}`,
    `${"00".repeat(31)}60${zeros.repeat(8)}${magic}`,
  ]) {
    const answer = await post(order, { signature: `0x${signature}`, authorization });
    expect([signature, answer.status, answer.body.error?.code]).toEqual([signature, 402, "payment_required"]);
  }
});

test("whatever a payment holds in the place of one of its values is refused, and nothing breaks", async () => {
  const good = payloadOf(await sign({}, order, newAccount()));
  const paths = pathsOf(good);
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(
      "0x",
      "0x0",
      "",
      "-1",
      "1e3",
      "٣",
      "\u0000",
      "__proto__",
      `0x${"f".repeat(64)}`,
      "9".repeat(78),
    ),
    fc.string({ unit: "binary" }),
  );
  const before = await countRows(market);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), odd, async (path, value) => {
      const header = Buffer.from(JSON.stringify(replace(good, path, value))).toString("base64");
      const { status, body } = await post(order, undefined, { "payment-signature": header });
      expect([path.join("."), value, [400, 402].includes(status), typeof body.error?.message]).toEqual([
        path.join("."),
        value,
        true,
        "string",
      ]);
    }),
    { numRuns: 200 },
  );
  expect(await countRows(market)).toEqual(before);

  function pathsOf(value: object): string[][] {
    return Object.entries(value).flatMap(([name, member]) => [
      [name],
      ...(typeof member === "object" && member !== null
        ? pathsOf(member).map((path) => [name, ...path])
        : []),
    ]);
  }

  function replace(value: object, [name, ...rest]: string[], by: unknown): object {
    const member = (value as Record<string, object>)[name as string];
    return { ...value, [name as string]: rest.length > 0 && member ? replace(member, rest, by) : by };
  }
});

describe("who may pay, and which order", () => {
  let signed: Signed;
  beforeEach(async () => {
    signed = await sign();
  });

  test("404 for a stranger, 409 for the provider", async () => {
    await expectRefusal(market, () => post(order, signed, {}, market.stranger), 404, "not_found");
    await expectRefusal(
      market,
      () => post(order, signed, {}, market.provider),
      409,
      "invalid_state",
      "Only the buyer",
    );
  });

  test("403 for a key without orders:write, 401 for nobody", async () => {
    const apiKey = await createKey(market.api, market.buyer, ["orders:read"]);
    const send = (access: { apiKey?: string }) => () =>
      market.api.request("POST", pathOf(order), { body: signed, ...access });
    await expectRefusal(market, send({ apiKey }), 403, "insufficient_scope", "orders:write");
    await expectRefusal(market, send({}), 401, "unauthenticated");
  });

  test("409 for an order on the other rail, which says what to do", async () => {
    const direct = await place(market);
    for (const body of [undefined, await sign({}, direct)]) {
      await expectRefusal(market, () => post(direct, body), 409, "invalid_state", "rail is escrow");
    }
  });

  test("409 once the funding window is over", async () => {
    const late = await place(market, { settlement_rail: "x402" });
    await market.api.db
      .update(orderTable)
      .set({ fundBy: Math.floor(Date.now() / 1000) - 1 })
      .where(eq(orderTable.id, late.id));
    for (const body of [undefined, await sign({}, late)]) {
      await expectRefusal(market, () => post(late, body), 409, "invalid_state", "funding window ended");
    }
  });

  test("409 for an order that is funded otherwise, and for one that is released", async () => {
    const third = await place(market, { settlement_rail: "x402" });
    const row = await rowOf(market, third.id);
    const mine = await sign({}, third);
    const refused = (message: string) =>
      expectRefusal(market, () => post(third, mine), 409, "invalid_state", message);
    await indexer(market, row).funded();
    await refused("escrow is funded already");
    await settleNow(market);
    await refused("order is funded");
    await indexer(market, row).ended("Released");
    await settleNow(market);
    await refused("order is released");
    expect(await isUsed(market.testChain, mine)).toBe(false);
  });
});

describe("what the service pays gas for", () => {
  test("400 to place, and 409 to pay, an order under its smallest", async () => {
    const cheap = await place(market, { settlement_rail: "x402" });
    const signed = await sign({}, cheap);
    const { min_relay_amount } = market.chain;
    market.chain.min_relay_amount = 2_500_001n;
    try {
      for (const body of [undefined, signed]) {
        await expectRefusal(market, () => post(cheap, body), 409, "invalid_state", "2.500001 TUSD and more");
      }
      const body = {
        service_id: market.service.id,
        input_payload: { text: "Guten Tag" },
        settlement_rail: "x402",
      };
      const error = await expectRefusal(
        market,
        () => ask(market, market.buyer, "POST", "/orders", body),
        400,
        "invalid_request",
        "Use the rail escrow",
      );
      expect(error.details).toMatchObject([{ path: "/settlement_rail", keyword: "minimum" }]);
    } finally {
      market.chain.min_relay_amount = min_relay_amount;
    }
    expect(await isUsed(market.testChain, signed)).toBe(false);
  });

  test("429 with Retry-After when the account's relays of the hour are used up", async () => {
    const { config, db } = market.api;
    const { relaysPerHour } = config;
    const first = await place(market, { settlement_rail: "x402" });
    expectStatus(202, await post(first, await sign({}, first)));
    config.relaysPerHour = await db.$count(relay, eq(relay.accountId, market.buyer.accountId));
    try {
      const signed = await sign();
      const pay = () => post(order, signed);
      await expectRefusal(market, pay, 429, "rate_limited", /within an hour/);
      const retryAfter = Number((await pay()).headers.get("retry-after"));
      expect(retryAfter).toBeGreaterThan(3500);
      expect(retryAfter).toBeLessThanOrEqual(3600);
      expect(await isUsed(market.testChain, signed)).toBe(false);
    } finally {
      config.relaysPerHour = relaysPerHour;
    }
  });
});

test("after all of it the order is paid as if nothing had been", async () => {
  const { db } = market.api;
  expect(await db.$count(payment, eq(payment.orderId, order.id))).toBe(0);
  expectStatus(202, await post(order, await sign()));
  expect(await db.$count(payment, eq(payment.orderId, order.id))).toBe(1);
});

/** The payer's own word to the token that an authorization is no longer good. */
async function cancel({ authorization: { from, nonce } }: Signed): Promise<void> {
  const { chain, wallet, fund, publicClient } = market.testChain;
  const { name, version, address } = chain.token;
  const signature = await market.buyer.account.signTypedData({
    domain: { name, version, chainId: chain.chain_id, verifyingContract: address },
    types: {
      CancelAuthorization: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "CancelAuthorization",
    message: { authorizer: from, nonce },
  });
  const sender = newAccount();
  await fund(sender);
  const hash = await wallet(sender).writeContract({
    address,
    abi: parseAbi(["function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)"]),
    functionName: "cancelAuthorization",
    args: [from, nonce, signature],
  });
  await publicClient.waitForTransactionReceipt({ hash });
}
