import { z } from "@hono/zod-openapi";
import { and, eq, isNull, sql } from "drizzle-orm";
import {
  type Address,
  getAddress,
  type Hex,
  hashMessage,
  isAddressEqual,
  isErc6492Signature,
  parseErc6492Signature,
  size,
} from "viem";
import { createSiweMessage, generateSiweNonce } from "viem/siwe";
import { prepareOnce } from "../../db/client.ts";
import { signInNonce } from "../../db/schema.ts";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { bytesPattern } from "../../protocol/settlement/shapes.ts";
import { recordPasskey } from "../../trade/accounts/passkeys.ts";
import type { ProvedWallet } from "../../trade/accounts/wallet-claim.ts";
import { isWalletSignature, withCappedGas } from "../../trade/erc1271.ts";
import { recoverSigner } from "../../trade/signer-recovery.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { bytes32Field } from "../http/fields.ts";
import { credentialIdField } from "./passkey-fields.ts";
import { isOfPasskey, isSignedHere } from "./passkey-origin.ts";

/** The purposes of a wallet's signature. A signature for one purpose is not valid for another. */
export const purposes = ["sign_in", "link_wallet"] as const;
type Purpose = (typeof purposes)[number];

/** The statement that the wallet shows to the person who signs. */
function statementOf(purpose: Purpose, accountId: string | null): string {
  return purpose === "sign_in"
    ? "Sign in to Earnest. This starts a session; it sends no transaction and moves no money."
    : `Add this wallet to the Earnest account ${accountId}, whose people may then act for it and be paid by it. This is no sign-in; it sends no transaction and moves no money.`;
}

/** Shortened examples for the API's document. */
export const exampleMessage =
  "earnest.example wants you to sign in with your Ethereum account:\n0x90F79bf6EB2c4f870365E785982E1f101E93b906\n\n...";
export const exampleNonce = "f3c0a1d2e4b5968778695a4b3c2d1e0f";

/** The most characters of a signature for a contract wallet: its check costs gas for each byte. */
const longestProof = 2 + 2 * 32_768;

/** A passkey as its owner names it. */
const namedPasskey = z
  .strictObject({ credential_id: credentialIdField, x: bytes32Field, y: bytes32Field })
  .openapi("NamedPasskey", { description: "the passkey's id (base64url) and public key on the curve P-256" });

/** The proof of a wallet: the message of `POST /auth/nonce` and its signature. */
export const walletProof = z
  .strictObject({
    message: z
      .string()
      .max(5000)
      .openapi({ description: "the exact message of `POST /auth/nonce`", example: exampleMessage }),
    nonce: z.string().max(200).openapi({ example: exampleNonce }),
    signature: z
      .string()
      .regex(bytesPattern, "must be 0x and an even number of hex digits")
      .max(longestProof)
      .transform((text) => text as Hex)
      .openapi({
        type: "string",
        pattern: bytesPattern.source,
        maxLength: longestProof,
        description: "the wallet's signature (EIP-191), or bytes that its contract accepts (ERC-1271)",
        example: `0x${"5a".repeat(64)}1b`,
      }),
    passkey: namedPasskey.optional().openapi({
      description:
        "the passkey that signed, so that its other devices find the public key by `GET /passkeys/{credential_id}`",
    }),
  })
  .openapi("WalletProof");

/**
 * Writes a message (EIP-4361) for a wallet to sign, with a nonce for one attempt.
 *
 * @param accountId the account to add the wallet to, for `link_wallet`
 */
export async function createProofRequest(
  { db, config }: Context,
  requested: { address: Address; chainId: number; purpose: Purpose; accountId: string | null },
): Promise<{ message: string; nonce: string; expiresAt: Date }> {
  const url = new URL(config.publicUrl);
  const nonce = generateSiweNonce();
  const issuedAt = new Date();
  const expiresAt = new Date(issuedAt.getTime() + config.nonceSeconds * 1000);
  const message = createSiweMessage({
    address: requested.address,
    chainId: requested.chainId,
    domain: url.host,
    uri: url.origin,
    version: "1",
    statement: statementOf(requested.purpose, requested.accountId),
    nonce,
    issuedAt,
    expirationTime: expiresAt,
  });
  await insertNonce(db).execute({ ...requested, nonce, message, expiresAt });
  return { message, nonce, expiresAt };
}

// Anyone may create nonces, so each insert deletes old ones. A job could fall behind.
const insertNonce = prepareOnce("insert_nonce", (db) =>
  db
    .with(
      db
        .$with("old")
        .as(db.delete(signInNonce).where(sql`${signInNonce.expiresAt} < now() - interval '1 day'`)),
    )
    .insert(signInNonce)
    .values({
      nonce: sql.placeholder("nonce"),
      address: sql.placeholder("address"),
      chainId: sql.placeholder("chainId"),
      message: sql.placeholder("message"),
      purpose: sql.placeholder("purpose"),
      accountId: sql.placeholder("accountId"),
      expiresAt: sql.placeholder("expiresAt"),
    }),
);

/**
 * Proves which wallet signed a message of `createProofRequest`, and records the passkey of a passkey account. The nonce is
 * used up even if the proof fails.
 *
 * @returns the wallet, and for `link_wallet` the account that its owner agreed to
 * @throws ApiError `unauthenticated`, also for a signature of another purpose
 */
export async function proveWallet(
  context: Context,
  { message, nonce, signature, passkey }: z.output<typeof walletProof>,
  purpose: Purpose,
): Promise<ProvedWallet & { accountId: string | null }> {
  const { address, chainId, accountId } = await burnNonce(context, nonce, message, purpose);
  if (isSignedByKey(address, message, signature)) return { address, chainId: null, accountId };
  if (await isSignedByContract(context, address, chainId, message, signature)) {
    if (passkey) {
      const { credential_id: credentialId, ...key } = passkey;
      await recordPasskey(context.db, factoryOf(context, chainId), address, { credentialId, key });
    }
    return { address, chainId, accountId };
  }
  throw new ApiError("unauthenticated", `This is no signature of the message by ${getAddress(address)}.`);
}

/** Uses up a nonce in a statement of its own, so that no later failure restores it. */
async function burnNonce({ db }: Context, nonce: string, message: string, purpose: Purpose) {
  const [burned] = await burnOnce(db).execute({ nonce });
  const again = "Get a new message from POST /auth/nonce.";
  if (!burned) throw new ApiError("unauthenticated", `This nonce is unknown or already used. ${again}`);
  if (burned.expired) throw new ApiError("unauthenticated", `This nonce is expired. ${again}`);
  if (burned.message !== message) {
    throw new ApiError("unauthenticated", `This is not the message that came with the nonce. ${again}`);
  }
  if (burned.purpose !== purpose) {
    throw new ApiError(
      "unauthenticated",
      `This message was signed for ${burned.purpose}, not for ${purpose}. ${again}`,
    );
  }
  return burned;
}

const burnOnce = prepareOnce("use_nonce", (db) =>
  db
    .update(signInNonce)
    .set({ usedAt: sql`now()` })
    .where(and(eq(signInNonce.nonce, sql.placeholder("nonce")), isNull(signInNonce.usedAt)))
    .returning({
      address: signInNonce.address,
      chainId: signInNonce.chainId,
      message: signInNonce.message,
      purpose: signInNonce.purpose,
      accountId: signInNonce.accountId,
      expired: sql<boolean>`${signInNonce.expiresAt} <= now()`,
    }),
);

/** Whether the signature is by a key (EIP-191), also if it is wrapped for a contract (ERC-6492). A key is valid on every chain. */
function isSignedByKey(address: Address, message: string, signature: Hex): boolean {
  try {
    const signer = recoverSigner(hashMessage(message), parseErc6492Signature(signature).signature);
    return isAddressEqual(signer, address);
  } catch {
    return false;
  }
}

/** Whether a contract on this chain accepts the signature. The address may be another contract elsewhere. */
async function isSignedByContract(
  context: Context,
  address: Address,
  chainId: number,
  message: string,
  signature: Hex,
): Promise<boolean> {
  const served = context.chain(chainId);
  if (!served) return false;
  // The check below would report an unreachable chain as a bad signature, so this call comes first.
  const code = await served.client.getCode({ address });
  if (!code && !isErc6492Signature(signature)) return false;
  const factory = factoryOf(context, chainId);
  if (isOfPasskey(factory, code, signature) && !isSignedHere(context.config.publicUrl, signature)) {
    return false;
  }
  if (size(signature) >= 32)
    return withCappedGas(served.client).verifyMessage({ address, message, signature });
  // The verifier of ERC-6492 reads the last 32 bytes, and fails on a shorter signature.
  const signed = { signer: address, digest: hashMessage(message), signature };
  return isWalletSignature(served.client, signed).catch((error: unknown) => {
    if (isContractAnswer(error)) return false;
    throw error;
  });
}

const factoryOf = (context: Context, chainId: number) =>
  context.chain(chainId)?.chain.passkey_factory as Address | undefined;
