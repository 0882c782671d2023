import { generateKeyPairSync, sign } from "node:crypto";
import { etc, Point } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CheckSignature, checkPortably } from "../../receipts/ed25519.ts";
import { parseJson } from "../../receipts/json.ts";
import { checkSignature as checkByNode } from "../../receipts/native-ed25519.ts";
import { assertSignature } from "../../receipts/proof-check.ts";

const { n: groupOrder, p: field } = Point.CURVE();
const checks = { node: checkByNode, portable: checkPortably };

/** The result of each way to check, which must be the same. */
async function verdict(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): Promise<boolean> {
  const ask = (check: CheckSignature) =>
    assertSignature(signature, message, { id: "key", bytes: publicKey }, check).then(
      () => true,
      () => false,
    );
  const results = await Promise.all(Object.values(checks).map(ask));
  expect(new Set(results).size, `${Object.keys(checks)}: ${results}`).toBe(1);
  return results[0] as boolean;
}

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const little = (value: bigint) =>
  Uint8Array.from(Buffer.from(value.toString(16).padStart(64, "0"), "hex").reverse());
const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
const join = (...parts: Uint8Array[]) => Uint8Array.from(Buffer.concat(parts));
const challenge = (...parts: Uint8Array[]) => number(sha512(join(...parts))) % groupOrder;

function keyPair() {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    privateKey,
    bytes: Uint8Array.from(Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url")),
  };
}

/** A point of order 8. */
const torsion = Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");

describe("every way to check an Ed25519 signature", () => {
  test("accepts a good one, and none with a changed bit or an s beyond the group's order", async () => {
    const { privateKey, bytes } = keyPair();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.nat({ max: 511 }), async (message, bit) => {
        const signature = Uint8Array.from(sign(null, message, privateKey));
        expect(await verdict(signature, message, bytes)).toBe(true);
        const changed = signature.slice();
        changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(await verdict(changed, message, bytes)).toBe(false);
        expect(await verdict(signature, join(message, Uint8Array.of(0)), bytes)).toBe(false);
        const s = number(signature.subarray(32)) + groupOrder;
        expect(await verdict(join(signature.subarray(0, 32), little(s)), message, bytes)).toBe(false);
        expect(await verdict(signature.subarray(0, 63), message, bytes)).toBe(false);
        expect(await verdict(join(signature, Uint8Array.of(0)), message, bytes)).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  test("agrees on random keys and signatures", async () => {
    await fc.assert(
      fc.asyncProperty(bytesOf(64), bytesOf(40), bytesOf(32), async (signature, message, publicKey) => {
        expect(await verdict(signature, message, publicKey)).toBe(false);
      }),
      { numRuns: 60 },
    );
    expect(await verdict(new Uint8Array(64), new Uint8Array(1), new Uint8Array(31))).toBe(false);
  });

  test("refuses keys of small order and keys whose y is beyond the field, with matching signatures", async () => {
    const small = Array.from({ length: 8 }, (_, i) => torsion.multiply(BigInt(i || 8), false));
    const encodings = small.flatMap((point) => {
      const bytes = point.toBytes();
      const other = bytes.slice();
      other[31] = (other[31] as number) ^ 0x80;
      return [bytes, other];
    });
    // The nineteen y that have two encodings, with either sign.
    for (let y = 0n; y < 19n; y++) encodings.push(little(field + y), little((field + y) | (1n << 255n)));
    const message = new TextEncoder().encode("anything");
    for (const key of encodings) {
      // With s = 0, R is the rest of the key: one of the eight in each case of the challenge.
      for (const r of [...small.map((point) => point.toBytes()), key]) {
        expect(await verdict(join(r, new Uint8Array(32)), message, key)).toBe(false);
      }
    }
  });

  test("uses the equation without the cofactor: a part of small order in R or in the key counts", async () => {
    const [a, r] = [little(123_456_789n), 987_654_321n];
    const secret = number(a);
    const pure = Point.BASE.multiply(secret);
    let good = 0;
    for (let i = 0; i < 24; i++) {
      const message = Uint8Array.of(i);
      for (const [key, inR] of [
        [pure.add(torsion), Point.ZERO],
        [pure, torsion],
        [pure.add(torsion), torsion],
      ] as const) {
        const [A, R] = [key.toBytes(), Point.BASE.multiply(r).add(inR).toBytes()];
        const k = challenge(R, A, message);
        const s = etc.mod(r + k * secret, groupOrder);
        if (await verdict(join(R, little(s)), message, A)) good++;
      }
    }
    // The challenge cancels the key's part, or lets it meet that of R.
    expect(good).toBeGreaterThan(0);
    expect(good).toBeLessThan(30);
  });
});

describe("the content of a signed text", () => {
  test("is JSON without duplicate names and odd numbers, wherever quotes and backslashes are", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), (value, spaced) => {
        const text = JSON.stringify({ value }, null, spaced ? 2 : 0);
        // Sixteen digits may be 2^53, which is refused.
        const isPlain = !/\d\.\d|\de[+-]?\d|\d{16}/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'));
        const read = () => parseJson(text);
        if (isPlain && !text.includes("-0")) expect(read()).toEqual(JSON.parse(text));
      }),
      { numRuns: 100 },
    );
    const odd = String.raw`{"a\\":"\\\":1.5e3,\"a\":{","\"b":[1,-2,0],"__proto__":{"a":":"},"":":-1.0"}`;
    expect(parseJson(odd)).toEqual(JSON.parse(odd));
    for (const twice of [
      `{"a":1,"a":1}`,
      String.raw`{"a":{"b":1,"\u0062":2}}`,
      `{"x":[{"__proto__":1,"__proto__":1}]}`,
    ]) {
      expect(() => parseJson(twice)).toThrow(/same member twice|It is "/);
    }
    for (const number of ["1.0", "1e3", "-0", "9007199254740992", "0.5", "-1E2"]) {
      expect(() => parseJson(`{"a":"1.5","b":[${number}]}`)).toThrow(/The number is/);
    }
    const deep = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    expect(() => parseJson(deep)).not.toThrow();
  });
});
