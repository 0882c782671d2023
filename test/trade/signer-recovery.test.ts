import { createRequire } from "node:module";
import fc from "fast-check";
import { type Address, bytesToBigInt, type Hex, numberToHex, recoverAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount, sign } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { recoverSigner } from "../../trade/signer-recovery.ts";

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const field = 2n ** 256n - 2n ** 32n - 977n;

const bytesOf = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((value): Hex => hexOf(value));
const hexOf = (value: Uint8Array): Hex => `0x${Buffer.from(value).toString("hex")}`;
const word = (value: bigint) => numberToHex(value, { size: 32 }).slice(2);
const join = (r: bigint, s: bigint, v: number): Hex =>
  `0x${word(r)}${word(s)}${v.toString(16).padStart(2, "0")}`;

/** The signer by both libraries; null where both find none. */
async function expectAlike(digest: Hex, signature: Hex): Promise<Address | null> {
  const orNull = (recover: () => Address | Promise<Address>) =>
    new Promise<Address>((settle) => settle(recover())).catch(() => null);
  const ours = await orNull(() => recoverSigner(digest, signature));
  expect(ours).toBe(await orNull(() => recoverAddress({ hash: digest, signature })));
  return ours;
}

/** Random digests, and those whose number is outside the curve's order. */
const anyDigest = fc.oneof(
  bytesOf(32),
  fc
    .constantFrom(0n, 1n, order - 1n, order, order + 1n, 2n ** 256n - 1n)
    .map((value): Hex => `0x${word(value)}`),
);
/** Numbers outside the range of r and s, or at its border. */
const anyNumber = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToBigInt),
  fc.constantFrom(
    0n,
    1n,
    2n,
    order / 2n,
    order / 2n + 1n,
    order - 1n,
    order,
    order + 1n,
    field - 1n,
    field,
    2n ** 256n - 1n,
  ),
);
const anyLastByte = fc.oneof(fc.constantFrom(0, 1, 27, 28), fc.integer({ min: 0, max: 255 }));

describe("libsecp256k1 and viem", () => {
  test("recover the signer of a good signature, in all its forms", async () => {
    await fc.assert(
      fc.asyncProperty(anyDigest, async (digest) => {
        const privateKey = generatePrivateKey();
        const { address } = privateKeyToAccount(privateKey);
        const { r, s, yParity = 0 } = await sign({ hash: digest, privateKey });
        for (const v of [yParity, yParity + 27]) {
          const good = join(BigInt(r), BigInt(s), v);
          expect(await expectAlike(digest, good)).toBe(address);
          expect(await expectAlike(digest, good.toUpperCase().replace("0X", "0x") as Hex)).toBe(address);
          // The same with the high s: ecrecover accepts it, and so do both; the callers refuse it.
          expect(
            await expectAlike(
              digest,
              join(BigInt(r), order - BigInt(s), v === yParity ? 1 - yParity : 28 - yParity),
            ),
          ).toBe(address);
        }
        expect(await expectAlike(digest, join(BigInt(r), BigInt(s), 1 - yParity))).not.toBe(address);
        // The 64 bytes of EIP-2098 are another form, and a byte more is malformed.
        const compact: Hex = `0x${word(BigInt(r))}${word(BigInt(s) | (BigInt(yParity) << 255n))}`;
        expect(await expectAlike(digest, compact)).toBeNull();
        expect(await expectAlike(digest, `${compact}0000`)).toBeNull();
      }),
      { numRuns: 12 },
    );
  });

  test("agree on every malformed signature", async () => {
    let signers = 0;
    await fc.assert(
      fc.asyncProperty(anyDigest, anyNumber, anyNumber, anyLastByte, async (digest, r, s, v) => {
        if ((await expectAlike(digest, join(r, s, v))) !== null) signers++;
      }),
      { numRuns: 200 },
    );
    expect(signers).toBeGreaterThan(0);
    for (const wrong of ["0x", "0x00", `0x${"zz".repeat(65)}`, `${join(1n, 1n, 27)}0`] as Hex[]) {
      expect(await expectAlike(`0x${word(1n)}`, wrong)).toBeNull();
    }
  });

  test("find no signer where the key would be the point at infinity", async () => {
    // s R = z G, where R = k G: the resulting key is the point at infinity.
    const { secp256k1 } = createRequire(createRequire(import.meta.url).resolve("viem"))(
      "@noble/curves/secp256k1",
    );
    for (const k of [1n, 2n, 12_345n]) {
      const { x, y } = secp256k1.ProjectivePoint.BASE.multiply(k).toAffine();
      const s = 7n;
      const digest: Hex = `0x${word((s * k) % order)}`;
      expect(await expectAlike(digest, join(x % order, s, Number(y & 1n)))).toBeNull();
      expect(await expectAlike(digest, join(x % order, s, 1 - Number(y & 1n)))).not.toBeNull();
    }
  });
});
