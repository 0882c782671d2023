import type { Hex } from "viem";
import { basePath, findChain, homeChainId } from "../settings.ts";

/** The public data of a passkey. Its private key stays in the authenticator. */
export type Passkey = {
  /** the authenticator's id of the passkey, in base64url */
  credentialId: string;
  x: Hex;
  y: Hex;
  /** the passkey's account, which is the same on every chain */
  address: string;
};

/** Tells whether this browser has passkeys, and the chain has accounts for them. */
export const hasPasskeys = (chainId: number): boolean =>
  typeof PublicKeyCredential === "function" && Boolean(findChain(chainId)?.passkey_factory);

/**
 * Tells whether a passkey's account is the same on a chain as on the chain of the sign-in: both have the same factory, which
 * computes the address.
 */
export function hasAccountOn(chainId: number): boolean {
  const factory = findChain(chainId)?.passkey_factory;
  return Boolean(factory) && factory === findChain(homeChainId)?.passkey_factory;
}

const storageKey = `earnest.passkeys ${basePath}`;
/** The most passkeys that a browser keeps, the newest first. */
const maxStored = 10;

/** Returns the passkeys that were used in this browser. */
export function storedPasskeys(): Passkey[] {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? "[]") as Passkey[];
  } catch {
    return [];
  }
}

/** Finds the passkey of an account; null if the account belongs to another wallet. */
export const findPasskey = (address: string): Passkey | null =>
  storedPasskeys().find((each) => each.address.toLowerCase() === address.toLowerCase()) ?? null;

/** Keeps a passkey for the next visit. */
export function storePasskey(passkey: Passkey): void {
  const others = storedPasskeys().filter(({ credentialId }) => credentialId !== passkey.credentialId);
  try {
    localStorage.setItem(storageKey, JSON.stringify([passkey, ...others].slice(0, maxStored)));
  } catch {
    // The service knows the passkey after its first sign-in.
  }
}
