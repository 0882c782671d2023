import { invert } from "@noble/curves/abstract/modular";
import { secp256k1 } from "@noble/curves/secp256k1";
import { LRUCache } from "lru-cache";
import { type Address, domainSeparator, type Hex, hexToBigInt, keccak256, toHex } from "viem";
import { type EscrowName, escrowDomain, readKeySignature } from "../settlement/signatures.ts";
import type { CallVoucher } from "./call.ts";

const voucherType = keccak256(
  toHex("Voucher(bytes32 escrowId,uint256 cumulativeAmount,bytes32 workHash)"),
).slice(2);

/**
 * Returns a function that computes the digests of a session's vouchers (EIP-712). A session has thousands of vouchers, and
 * their domain and escrow are hashed once: viem's `hashTypedData` takes five times as long.
 */
export function voucherDigests(escrow: EscrowName): (voucher: Omit<CallVoucher, "signature">) => Hex {
  const domain = domainSeparator({ domain: escrowDomain(escrow) }).slice(2);
  const start = `0x${voucherType}${escrow.escrowId.slice(2)}` as const;
  return ({ cumulativeAmount, workHash }) => {
    const amount = cumulativeAmount.toString(16).padStart(64, "0");
    const message = keccak256(`${start}${amount}${workHash.slice(2)}`).slice(2);
    return keccak256(`0x1901${domain}${message}`);
  };
}

/** The order of the curve, and half of it: the contract refuses an s above the half (EIP-2). */
const { n: order } = secp256k1.CURVE;

/** The tables of the keys that signed last, by address: one takes 50 ms and 1 MB. */
const tables = new LRUCache<Address, Multiples>({ max: 64 });

/** Recovers the address that signed a digest, and throws if no key did. */
type Recover = (digest: Hex, signature: Hex) => Address;

/** Signatures of a key after which its table is made. */
const worthATable = 4;

/** The part of the time that goes into tables. More buyers than tables would otherwise have one made for each call. */
const tableShare = 0.05;
let nextTableAt = 0;

/**
 * Checks signatures of one address's key. A table of the key's multiples makes the checks of a long session four times as
 * fast.
 */
export class KeySignatures {
  readonly #address: Address;
  readonly #recover: Recover | undefined;
  #good = 0;

  /** @param recover a recovery that is faster than a table */
  constructor(address: Address, recover?: Recover) {
    this.#address = address;
    this.#recover = recover;
  }

  /** Returns the signature in the contract's form (v of 27 or 28); null if another key made it. */
  async read(digest: Hex, signature: Hex): Promise<Hex | null> {
    if (this.#recover) return await readKeySignature(digest, signature, this.#address, this.#recover);
    const table = tables.get(this.#address);
    if (table) return readByTable(table, digest, signature);
    const read = await readKeySignature(digest, signature, this.#address);
    if (read) this.#good += 1;
    const start = performance.now();
    if (read && this.#good >= worthATable && start >= nextTableAt) {
      tables.set(this.#address, recoverKey(digest, read));
      const end = performance.now();
      nextTableAt = end + (end - start) / tableShare;
    }
    return read;
  }
}

function readByTable(key: Multiples, digest: Hex, signature: Hex): Hex | null {
  const v = Number.parseInt(signature.slice(130), 16);
  const parity = v < 27 ? v : v - 27;
  const r = hexToBigInt(`0x${signature.slice(2, 66)}`);
  const s = hexToBigInt(`0x${signature.slice(66, 130)}`);
  if (!(parity === 0 || parity === 1)) return null;
  if (r === 0n || r >= order || s === 0n || s > order / 2n) return null;
  // ecrecover yields this key only for the point with this r and this parity.
  const inverse = invert(s, order);
  ofBase ??= new Multiples(secp256k1.ProjectivePoint.BASE);
  const first = ofBase.times((hexToBigInt(digest) * inverse) % order);
  const sum = first.add(key.times((r * inverse) % order));
  if (sum.equals(secp256k1.ProjectivePoint.ZERO)) return null;
  const { x, y } = sum.toAffine();
  if (x !== r || Number(y & 1n) !== parity) return null;
  return `0x${signature.slice(2, 130)}${(parity + 27).toString(16)}`;
}

function recoverKey(digest: Hex, signature: Hex): Multiples {
  const compact = secp256k1.Signature.fromCompact(signature.slice(2, 130));
  const recovered = compact.addRecoveryBit(Number.parseInt(signature.slice(130), 16) - 27);
  return new Multiples(recovered.recoverPublicKey(digest.slice(2)));
}

type Point = typeof secp256k1.ProjectivePoint.BASE;

/** The bits of half a scalar, and of a window in a table. */
const [half, tableWindow] = [128n, 8];

/**
 * The multiples of a point, by tables for both halves of a scalar: noble's tables are good for half a scalar. Their time
 * depends on the scalar, so no secret may be one.
 */
class Multiples {
  readonly #low: Point;
  readonly #high: Point;

  constructor(point: Point) {
    const { ProjectivePoint, utils } = secp256k1;
    const copy = (one: Point) => ProjectivePoint.fromAffine(one.toAffine());
    this.#low = utils.precompute(tableWindow, copy(point));
    this.#high = utils.precompute(tableWindow, copy(point.multiply(1n << half)));
  }

  times(scalar: bigint): Point {
    const low = this.#low.multiplyUnsafe(scalar & ((1n << half) - 1n));
    return low.add(this.#high.multiplyUnsafe(scalar >> half));
  }
}

/** The multiples of the curve's base point, made once. */
let ofBase: Multiples | null = null;
