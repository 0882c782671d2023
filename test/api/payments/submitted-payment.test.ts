import { encodePaymentSignatureHeader } from "@x402/core/http";
import fc from "fast-check";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countRows, expectRefusal } from "../../harness/market/market.ts";
import { newAccount, type Signed } from "../../harness/market/payments.ts";
import { type Refusals, startRefusals } from "../../harness/market/refused.ts";
import { randomRuns } from "../../harness/random-runs.ts";

let market: Refusals["market"];
let order: Refusals["order"];
let post: Refusals["post"];
let sign: Refusals["sign"];
let payloadOf: Refusals["payloadOf"];
let expectRefused: Refusals["expectRefused"];
let expectInvalid: Refusals["expectInvalid"];

beforeAll(async () => {
  ({ market, order, post, sign, payloadOf, expectRefused, expectInvalid } = await startRefusals());
});
afterAll(() => market?.close());

describe("400 for a malformed payment", () => {
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
    // A body without a signature is a payment only if it names itself one.
    if ("signature" in signed) await expectInvalid(signed, faults);
    await expectInvalid(
      payloadOf(signed),
      faults.map(([path, keyword]) => [`/payload${path}`, keyword]),
    );
  });

  test("a payload without the accepted terms", async () => {
    const { accepted: _, ...rest } = payloadOf(await sign());
    await expectInvalid(rest, [["/accepted", "invalid_type"]]);
  });

  function changed({ signature, authorization }: Signed, change: object) {
    return { signature, authorization: { ...authorization, ...change } };
  }
});

test("is 413 for a payment over 64 KiB, as the body and in the header", async () => {
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
  // A payment just under the bound is read.
  const fitting = { ...signed, signature: `0x${"00".repeat(32_000)}` as Hex };
  await expectRefused(fitting, ["invalid_exact_evm_signature", "/payload/signature", /must be deployed/]);
});

test("a signature of any length and content is refused, and nothing fails", async () => {
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

test("an odd value in any field of a payment is refused, and nothing fails", async () => {
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
    { numRuns: randomRuns(200) },
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
