import type { Earnest } from "earnest-client";
import { type Address, bytesToHex, type Hex, size, slice } from "viem";
import { type Assertion, encodeAssertion, passkeyAccountOf } from "../../../protocol/settlement/index.ts";
import { WalletProblem } from "../problems/problem.ts";
import { findChain } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { findPasskey, type Passkey, storedPasskeys, storePasskey } from "./stored-passkeys.ts";

/** Returns the factory of passkey accounts on a chain. */
export function factoryOn(chainId: number): Address {
  const factory = findChain(chainId)?.passkey_factory;
  if (!factory) throw new WalletProblem("no_passkeys");
  return factory as Address;
}

/** The host of the page: browsers use a passkey on pages of its host only. */
const relyingParty = () => location.hostname;

/**
 * Creates a passkey, which the authenticator may copy to the user's other devices.
 *
 * @throws WalletProblem `rejected` if the user cancels
 */
export async function createPasskey(chainId: number): Promise<Passkey> {
  const factory = factoryOn(chainId);
  const { createWebAuthnCredential } = await import("viem/account-abstraction");
  const name = i18n.t("Earnest on {host}", { host: location.host });
  const created = await createWebAuthnCredential({
    rp: { id: relyingParty(), name: "Earnest" },
    // A random id, because an authenticator replaces a passkey that has the same id.
    user: { id: crypto.getRandomValues(new Uint8Array(32)), name, displayName: name },
    challenge: bytesToHex(crypto.getRandomValues(new Uint8Array(32))),
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    },
    excludeCredentialIds: storedPasskeys().map(({ credentialId }) => credentialId),
  }).catch(failed);
  if (size(created.publicKey) !== 64) throw new WalletProblem("no_passkeys");
  const key = { x: slice(created.publicKey, 0, 32), y: slice(created.publicKey, 32, 64) };
  const passkey = { credentialId: created.id, ...key, address: passkeyAccountOf(factory, key) };
  // Only the creation gives the public key: it is kept even if the user leaves before the first sign-in.
  storePasskey(passkey);
  return passkey;
}

/**
 * Lets the user choose a passkey. Its public key follows from its signature; the service tells which of two keys has
 * signed in, so that it can lead into no account of another passkey.
 *
 * @throws WalletProblem `rejected` if the user cancels, `unknown_passkey` for a passkey that never signed in
 */
export async function choosePasskey(client: Earnest, chainId: number): Promise<Passkey> {
  const factory = factoryOn(chainId);
  const challenge = bytesToHex(crypto.getRandomValues(new Uint8Array(32)));
  const { credentialId, assertion } = await assert("", challenge);
  const { recoverKeys } = await import("./recover-keys.ts");
  const candidates = recoverKeys(assertion).map((key) => ({
    credentialId,
    ...key,
    address: passkeyAccountOf(factory, key),
  }));
  const stored = candidates.find(({ address }) => findPasskey(address));
  if (stored) return stored;
  const { items } = await client.passkeys.find({
    addresses: candidates.map(({ address }) => address).join(","),
  });
  const chosen = candidates.find(({ address }) =>
    items.some((each) => each.address.toLowerCase() === address.toLowerCase()),
  );
  if (!chosen) throw new WalletProblem("unknown_passkey");
  return chosen;
}

/**
 * Asks a passkey to sign a challenge.
 *
 * @returns the signature as the passkey's account takes it
 * @throws WalletProblem `rejected` if the user cancels
 */
export async function signChallenge(passkey: Passkey, challenge: Hex): Promise<Hex> {
  const { assertion } = await assert(passkey.credentialId, challenge);
  storePasskey(passkey);
  return encodeAssertion(assertion);
}

type Asserted = { credentialId: string; assertion: Assertion };

/** Asks for an assertion of a passkey, or of any passkey that the user chooses (an empty id). */
async function assert(credentialId: string, challenge: Hex): Promise<Asserted> {
  const { toWebAuthnAccount } = await import("viem/account-abstraction");
  // The public key is not needed to sign.
  const account = toWebAuthnAccount({
    credential: { id: credentialId, publicKey: "0x" },
    rpId: relyingParty(),
  });
  const { raw, signature, webauthn } = await account.sign({ hash: challenge }).catch(failed);
  const { authenticatorData, clientDataJSON, challengeIndex, typeIndex } = webauthn;
  if (challengeIndex === undefined || typeIndex === undefined) throw new WalletProblem("no_passkeys");
  const [r, s] = [slice(signature, 0, 32), slice(signature, 32, 64)];
  return {
    credentialId: raw.id,
    assertion: { r, s, challengeIndex, typeIndex, authenticatorData, clientDataJSON },
  };
}

/** Browsers report a cancelled request and a missing passkey alike. */
function failed(error: unknown): never {
  const name = [error, (error as { cause?: unknown }).cause].map((each) => (each as Error | undefined)?.name);
  if (name.includes("NotAllowedError")) throw new WalletProblem("rejected");
  if (name.includes("InvalidStateError")) throw new WalletProblem("passkey_exists");
  throw error;
}
