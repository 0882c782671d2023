import {
  type Address,
  getAddress,
  type Hex,
  recoverAddress as recoverByViem,
  keccak256 as viemKeccak256,
} from "viem";

/**
 * The hash and the curve of the chain, for which a program may bring faster code than the portable one that runs anywhere.
 * Whatever it brings gives the same answers: a test compares them on random and on malformed input.
 */
export type Primitives = {
  keccak256: (data: Hex | Uint8Array) => Hex;
  /**
   * The address whose key signed a digest of 32 bytes, by 65 bytes of r, s and v (0, 1, 27 or 28). A high s is taken.
   *
   * @throws where the bytes are the signature of no key
   */
  recoverAddress: (digest: Hex, signature: Hex) => Address | Promise<Address>;
  /** An address in its EIP-55 form. `address` is 20 bytes of hex in any case. */
  checksumAddress: (address: Hex) => Address;
};

/** The portable code: viem's. */
export const portable: Primitives = {
  keccak256: (data) => viemKeccak256(data),
  recoverAddress: (hash, signature) => recoverByViem({ hash, signature }),
  checksumAddress: (address) => getAddress(address),
};

let used = portable;

/** Has all of `settlement/` compute with these from now on, in this process. */
export function usePrimitives(primitives: Primitives): void {
  used = primitives;
}

export const keccak256: Primitives["keccak256"] = (data) => used.keccak256(data);

/** As `Primitives.recoverAddress`; all its errors are rejections. */
export const recoverAddress = async (digest: Hex, signature: Hex): Promise<Address> =>
  used.recoverAddress(digest, signature);

export const checksumAddress: Primitives["checksumAddress"] = (address) => used.checksumAddress(address);
