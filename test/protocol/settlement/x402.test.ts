import { PaymentRequirementsV2Schema, parsePaymentPayload } from "@x402/core/schemas";
import fc from "fast-check";
import {
  type Address,
  bytesToHex,
  getAddress,
  type Hex,
  hashTypedData,
  maxUint256,
  recoverAddress,
  size,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { authorizationData, type Payable, requirementsOf } from "../../../protocol/settlement/x402.ts";
import {
  paymentKeyOf,
  paymentPayload,
  signedAuthorization,
  signedPermit,
  withV27or28,
} from "../../../protocol/settlement/x402-payload.ts";

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => bytesToHex(array));
const address = bytes(20).map((hex): Address => getAddress(hex));
const fundBy = fc.integer({ min: 1_700_000_000, max: 2 ** 40 });
const payable = fc.record({
  chainId: fc.integer({ min: 1, max: 2 ** 31 }),
  token: fc.record({ address, name: fc.string({ minLength: 1 }), version: fc.string({ minLength: 1 }) }),
  amount: fc.bigInt({ min: 1n, max: 2n ** 128n - 1n }),
  depositAddress: address.map((checksummed) => checksummed.toLowerCase() as Address),
  fundBy,
}) satisfies fc.Arbitrary<Payable>;
/** Seconds before the funding deadline, after which the order cannot be funded. */
const left = fc.oneof(fc.integer({ min: 0, max: 1200 }), fc.integer({ min: 0, max: 10 ** 9 }));
const methods = fc.constantFrom(["eip3009"], ["permit2"], ["eip3009", "permit2"]) as fc.Arbitrary<
  ("eip3009" | "permit2")[]
>;

describe("requirementsOf", () => {
  test("never reaches beyond the funding deadline or ten minutes, and leaves a second at least", () => {
    fc.assert(
      fc.property(payable, methods, left, (order, ways, seconds) => {
        const now = BigInt(order.fundBy - seconds);
        for (const { maxTimeoutSeconds } of requirementsOf(order, ways, now)) {
          expect(maxTimeoutSeconds).toBeGreaterThanOrEqual(1);
          expect(maxTimeoutSeconds).toBeLessThanOrEqual(600);
          // A signature made now is valid before this second, and in no block after the deadline.
          const validBefore = Number(now) + maxTimeoutSeconds;
          expect(validBefore).toBeLessThanOrEqual(Math.max(order.fundBy, Number(now) + 1));
          expect(maxTimeoutSeconds === 600 || seconds < 600).toBe(true);
        }
      }),
    );
  });

  test("requires exactly the order, in each of its ways, valid under x402's own schema", () => {
    fc.assert(
      fc.property(payable, methods, left, (order, ways, seconds) => {
        const offered = requirementsOf(order, ways, BigInt(order.fundBy - seconds));
        expect(offered.map(({ extra }) => extra.assetTransferMethod ?? "eip3009")).toEqual(ways);
        for (const { maxTimeoutSeconds: _, extra, ...entry } of offered) {
          expect(entry).toEqual({
            scheme: "exact",
            network: `eip155:${order.chainId}`,
            amount: order.amount.toString(),
            asset: order.token.address,
            payTo: getAddress(order.depositAddress),
          });
          expect(extra).toMatchObject({ name: order.token.name, version: order.token.version });
        }
        for (const entry of offered) expect(PaymentRequirementsV2Schema.safeParse(entry).success).toBe(true);
      }),
    );
  });
});

describe("authorizationData", () => {
  test("pays the order's deposit address its exact amount, until the funding deadline at the latest", () => {
    fc.assert(
      fc.property(payable, address, bytes(32), left, (order, payer, nonce, seconds) => {
        const now = BigInt(order.fundBy - seconds);
        const { domain, message, types, primaryType } = authorizationData(order, payer, nonce, now);
        expect(domain).toEqual({
          name: order.token.name,
          version: order.token.version,
          chainId: order.chainId,
          verifyingContract: order.token.address,
        });
        expect(message).toMatchObject({
          from: payer,
          to: getAddress(order.depositAddress),
          value: order.amount.toString(),
          validAfter: "0",
          nonce,
        });
        expect(Number(message.validBefore)).toBeLessThanOrEqual(Math.max(order.fundBy, Number(now) + 1));
        expect(types[primaryType]?.map(({ name }) => name)).toEqual(Object.keys(message));
        // The signature alone makes it a payment.
        expect(signedAuthorization.safeParse({ signature: "0x00", authorization: message }).success).toBe(
          true,
        );
      }),
    );
  });
});

const uint256 = fc.oneof(fc.bigInt({ min: 0n, max: maxUint256 }), fc.constantFrom(0n, 1n, maxUint256));
const signature = fc.oneof(
  bytes(65),
  fc.uint8Array({ minLength: 1, maxLength: 300 }).map((array) => bytesToHex(array)),
);
const authorization = fc.record({
  from: address,
  to: address,
  value: uint256.map(String),
  validAfter: uint256.map(String),
  validBefore: uint256.map(String),
  nonce: bytes(32),
});
const permit = fc.record({
  from: address,
  permitted: fc.record({ token: address, amount: uint256.map(String) }),
  spender: address,
  nonce: uint256.map(String),
  deadline: uint256.map(String),
  witness: fc.record({ to: address, validAfter: uint256.map(String) }),
});

describe("paymentKeyOf", () => {
  test("distinguishes payments by method, payer and nonce only", () => {
    fc.assert(
      fc.property(
        authorization,
        authorization,
        signature,
        signature,
        fc.boolean(),
        fc.boolean(),
        (one, two, first, second, samePayer, sameNonce) => {
          const other = {
            ...two,
            ...(samePayer ? { from: one.from } : {}),
            ...(sameNonce ? { nonce: one.nonce } : {}),
          };
          const [a, b] = [
            paymentKeyOf(signedAuthorization.parse({ signature: first, authorization: one })),
            paymentKeyOf(signedAuthorization.parse({ signature: second, authorization: other })),
          ];
          const same = other.from === one.from && other.nonce === one.nonce;
          expect(JSON.stringify(a) === JSON.stringify(b)).toBe(same);
        },
      ),
    );
  });

  test("is the same for any notation of hexadecimal values and numbers", () => {
    fc.assert(
      fc.property(authorization, permit, signature, fc.nat(5), (one, two, bytesOf, zeros) => {
        const loud = { ...one, from: shout(one.from), nonce: shout(one.nonce) };
        expect(
          paymentKeyOf(signedAuthorization.parse({ signature: shout(bytesOf), authorization: loud })),
        ).toEqual(paymentKeyOf(signedAuthorization.parse({ signature: bytesOf, authorization: one })));
        const padded = { ...two, from: shout(two.from), nonce: `${"0".repeat(zeros)}${two.nonce}` };
        if (padded.nonce.length > 78) return;
        expect(
          paymentKeyOf(signedPermit.parse({ signature: bytesOf, permit2Authorization: padded })),
        ).toEqual({
          method: "permit2",
          payer: two.from,
          nonce: two.nonce,
        });
      }),
    );
  });

  function shout(hex: Hex): Hex {
    return `0x${hex.slice(2).toUpperCase()}`;
  }
});

describe("withV27or28", () => {
  const account = privateKeyToAccount(`0x${"42".repeat(32)}`);

  test("turns a key's signature with the bare parity into the form that tokens accept", async () => {
    await fc.assert(
      fc.asyncProperty(bytes(32), async (nonce) => {
        const data = {
          domain: { name: "T", chainId: 1 },
          types: { Nonce: [{ name: "nonce", type: "bytes32" }] },
          primaryType: "Nonce",
          message: { nonce },
        } as const;
        const signed = await account.signTypedData(data);
        const parity = Number.parseInt(signed.slice(-2), 16) - 27;
        const bare: Hex = `${signed.slice(0, -2) as Hex}0${parity}`;
        expect(withV27or28(bare)).toBe(signed);
        expect(withV27or28(signed)).toBe(signed);
        expect(await recoverAddress({ hash: hashTypedData(data), signature: withV27or28(bare) })).toBe(
          account.address,
        );
      }),
      { numRuns: 20 },
    );
  });

  test("leaves every other signature unchanged, and is idempotent", () => {
    fc.assert(
      fc.property(signature, (given) => {
        const once = withV27or28(given);
        expect(size(once)).toBe(size(given));
        expect(withV27or28(once)).toBe(once);
        if (size(given) !== 65 || Number.parseInt(given.slice(-2), 16) > 1) expect(once).toBe(given);
        else expect(once.slice(0, -2)).toBe(given.slice(0, -2));
      }),
    );
  });
});

describe("paymentPayload", () => {
  const accepted = {
    scheme: "exact",
    network: "eip155:1",
    amount: "1",
    asset: `0x${"11".repeat(20)}`,
    payTo: `0x${"22".repeat(20)}`,
    maxTimeoutSeconds: 60,
    extra: { name: "T", version: "1" },
  };

  test("accepts what x402's own schema accepts, with any extensions, and keeps the checked members", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.record({ signature, authorization }),
          fc.record({ signature, permit2Authorization: permit }),
        ),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (payload, extensions) => {
          const sent = {
            x402Version: 2,
            accepted,
            payload,
            extensions,
            resource: { url: "https://a.example" },
          };
          expect(parsePaymentPayload(sent).success).toBe(true);
          expect(paymentPayload.parse(sent)).toMatchObject({ payload });
        },
      ),
    );
  });

  test.each(["authorization", "permit2Authorization"] as const)(
    "refuses a %s with a missing or mistyped member",
    (name) => {
      const of: fc.Arbitrary<object> = name === "authorization" ? authorization : permit;
      fc.assert(
        fc.property(
          of,
          signature,
          fc.nat(),
          fc.constantFrom(undefined, 7, "word", null, []),
          (good, bytesOf, at, bad) => {
            const keys = Object.keys(good);
            const key = keys[at % keys.length] as string;
            const payload = { signature: bytesOf, [name]: { ...good, [key]: bad } };
            expect(paymentPayload.safeParse({ x402Version: 2, accepted, payload }).success).toBe(false);
          },
        ),
      );
    },
  );
});
