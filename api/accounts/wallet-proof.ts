import { z } from "@hono/zod-openapi";
import { type Address, getAddress } from "viem";
import { createSiweMessage, generateSiweNonce } from "viem/siwe";
import { prepareOnce } from "../../db/client.ts";
import { and, eq, isNull, sql } from "../../db/drizzle.ts";
import { type SignaturePurpose, signInNonce } from "../../db/schema.ts";
import { recordPasskey } from "../../trade/accounts/passkeys.ts";
import { insertNonce } from "../../trade/accounts/sign-in-nonces.ts";
import type { ProvedWallet } from "../../trade/accounts/wallet-claim.ts";
import { findSigningWallet, passkeyFactoryOf } from "../../trade/accounts/wallet-signature.ts";
import type { Context } from "../context.ts";
import { hashToken } from "../http/access-tokens.ts";
import { ApiError } from "../http/api-error.ts";
import { bytes32Field, timeField, walletSignatureField } from "../http/fields.ts";

/** The purpose of a signature, with what the message names. */
type Signed =
  | { purpose: "sign_in" }
  | { purpose: "link_wallet"; accountId: string }
  | { purpose: "approve_device"; device: SignInDevice };

/** A browser that asks for a session, as the message names it. */
type SignInDevice = {
  deviceCodeHash: string;
  /** the code that the browser shows */
  userCode: string;
  /** as in "Firefox on Windows"; null if unknown */
  name: string | null;
  network: string | null;
};

const harmless = "it sends no transaction and moves no money.";

/** The statement that the wallet shows to the person who signs. */
function statementOf(signed: Signed): string {
  if (signed.purpose === "sign_in") return `Sign in to Earnest. This starts a session; ${harmless}`;
  if (signed.purpose === "link_wallet") {
    return `Add this wallet to the Earnest account ${signed.accountId}, whose people may then act for it and be paid by it. This is no sign-in; ${harmless}`;
  }
  const { userCode, name, network } = signed.device;
  return `Sign in the device that shows the code ${userCode}: ${name ?? "unknown browser"}, network ${network ?? "unknown"}. It gets a session of this wallet's Earnest account. Refuse a code that somebody sent you. This starts no session here; ${harmless}`;
}

/** Shortened examples for the API's document. */
const exampleMessage =
  "earnest.example wants you to sign in with your Ethereum account:\n0x90F79bf6EB2c4f870365E785982E1f101E93b906\n\n...";
const exampleNonce = "f3c0a1d2e4b5968778695a4b3c2d1e0f";

const passkeyKey = z
  .strictObject({ x: bytes32Field, y: bytes32Field })
  .openapi("PasskeyKey", { description: "a passkey's public key on the curve P-256" });

/** The proof of a wallet: the message of `POST /auth/nonce` and its signature. */
export const walletProof = z
  .strictObject({
    message: z
      .string()
      .max(5000)
      .openapi({ description: "the exact message of `POST /auth/nonce`", example: exampleMessage }),
    nonce: z.string().max(200).openapi({ example: exampleNonce }),
    signature: walletSignatureField.openapi({
      description: "the wallet's signature (EIP-191), or bytes that its contract accepts (ERC-1271)",
      example: `0x${"5a".repeat(64)}1b`,
    }),
    passkey: passkeyKey.optional().openapi({
      description: "the key of the passkey that signed, so that its other devices find it by `GET /passkeys`",
    }),
  })
  .openapi("WalletProof");

export const nonceSchema = z
  .object({
    message: z.string().openapi({ example: exampleMessage }),
    nonce: z.string().openapi({ example: exampleNonce }),
    expires_at: timeField,
  })
  .openapi("Nonce");

type ProofRequest = { message: string; nonce: string; expiresAt: Date };

export const presentNonce = ({ message, nonce, expiresAt }: ProofRequest) => ({
  message,
  nonce,
  expires_at: expiresAt.toISOString(),
});

/** Writes a message (EIP-4361) for a wallet to sign, with a nonce for one attempt. */
export async function createProofRequest(
  { db, config }: Context,
  { address, chainId }: { address: Address; chainId: number },
  signed: Signed,
): Promise<ProofRequest> {
  const url = new URL(config.publicUrl);
  const nonce = generateSiweNonce();
  const issuedAt = new Date();
  const expiresAt = new Date(issuedAt.getTime() + config.nonceSeconds * 1000);
  const message = createSiweMessage({
    address,
    chainId,
    domain: url.host,
    uri: url.origin,
    version: "1",
    statement: statementOf(signed),
    nonce,
    issuedAt,
    expirationTime: expiresAt,
  });
  await insertNonce(db).execute({
    address,
    chainId,
    nonce,
    messageHash: hashToken(message),
    purpose: signed.purpose,
    expiresAt,
    accountId: signed.purpose === "link_wallet" ? signed.accountId : null,
    deviceCodeHash: signed.purpose === "approve_device" ? signed.device.deviceCodeHash : null,
  });
  return { message, nonce, expiresAt };
}

/**
 * Proves which wallet signed a message of `createProofRequest`, and records the passkey of a passkey account. The nonce is
 * used up even if the proof fails.
 *
 * @returns the wallet; for `link_wallet` the account, and for `approve_device` the device that its owner agreed to
 * @throws ApiError `unauthenticated`, also for a signature of another purpose
 */
export async function proveWallet(
  context: Context,
  { message, nonce, signature, passkey }: z.output<typeof walletProof>,
  purpose: SignaturePurpose,
): Promise<ProvedWallet & { accountId: string | null; deviceCodeHash: string | null }> {
  const { address, chainId, ...agreed } = await burnNonce(context, nonce, message, purpose);
  const proved = await findSigningWallet(context, { address, chainId }, message, signature);
  if (!proved) {
    throw new ApiError("unauthenticated", `This is no signature of the message by ${getAddress(address)}.`);
  }
  if (passkey && proved.chainId !== null) {
    await recordPasskey(context.db, passkeyFactoryOf(context, chainId), address, passkey);
  }
  return { ...proved, ...agreed };
}

/** Uses up a nonce in a statement of its own, so that no later failure restores it. */
async function burnNonce({ db }: Context, nonce: string, message: string, purpose: SignaturePurpose) {
  const [burned] = await burnOnce(db).execute({ nonce });
  const again = "Get a new message from POST /auth/nonce.";
  if (!burned) throw new ApiError("unauthenticated", `This nonce is unknown or already used. ${again}`);
  if (burned.expired) throw new ApiError("unauthenticated", `This nonce is expired. ${again}`);
  if (burned.messageHash !== hashToken(message)) {
    throw new ApiError("unauthenticated", `This is not the message that came with the nonce. ${again}`);
  }
  if (burned.purpose !== purpose) {
    throw new ApiError(
      "unauthenticated",
      `This message was signed for ${burned.purpose}, not for ${purpose}. ${again}`,
    );
  }
  const { address, chainId, accountId, deviceCodeHash } = burned;
  return { address, chainId, accountId, deviceCodeHash };
}

const burnOnce = prepareOnce("use_nonce", (db) =>
  db
    .update(signInNonce)
    .set({ usedAt: sql`now()` })
    .where(and(eq(signInNonce.nonce, sql.placeholder("nonce")), isNull(signInNonce.usedAt)))
    .returning({
      address: signInNonce.address,
      chainId: signInNonce.chainId,
      messageHash: signInNonce.messageHash,
      purpose: signInNonce.purpose,
      accountId: signInNonce.accountId,
      deviceCodeHash: signInNonce.deviceCodeHash,
      expired: sql<boolean>`${signInNonce.expiresAt} <= now()`,
    }),
);
