// Reads an earlier purchase by a wallet's signature: x402's extension `sign-in-with-x`.

import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { createSiweMessage } from "viem/siwe";
import { readJson } from "../../protocol/json/parse.ts";
import { addressPattern } from "../../protocol/settlement/shapes.ts";
import { insertUsedNonce } from "../../trade/accounts/sign-in-nonces.ts";
import type { ProvedWallet } from "../../trade/accounts/wallet-claim.ts";
import { findSigningWallet } from "../../trade/accounts/wallet-signature.ts";
import { createSignInNonce, isSignInNonce } from "../../trade/purchases/sealed-terms.ts";
import type { Context } from "../context.ts";
import { hashToken } from "../http/access-tokens.ts";
import { ApiError, parseAs } from "../http/api-error.ts";
import { walletSignatureField } from "../http/fields.ts";

/** The key of the extension, and the name of the header that answers it. */
export const signInWithX = "sign-in-with-x";

/** The most characters of the header. Node accepts 16 KiB for all headers together. */
export const largestSignIn = 12_000;

const statement = "Read what this wallet bought.";

/** The fields that the wallet's proof adds to the message, or that select it. The others follow from the service. */
const signInPayload = z.object({
  domain: z.string(),
  uri: z.string(),
  address: z.string().regex(addressPattern),
  chainId: z.string().regex(/^eip155:[1-9]\d{0,15}$/),
  nonce: z.string(),
  issuedAt: z.iso.datetime(),
  signature: walletSignatureField,
});

/** Why a sign-in is refused, in x402's words. */
type Reason =
  | "invalid_siwx_domain_mismatch"
  | "invalid_siwx_uri_mismatch"
  | "invalid_siwx_issued_at_too_old"
  | "invalid_siwx_nonce"
  | "invalid_siwx_signature"
  | "invalid_siwx_unsupported_chain";

/** A sign-in that proves no wallet, with the reason. */
export class SignInRefusal extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Offers a message for a wallet to sign at the URL of a service. Nothing is stored. It is short for the header. */
export function offerSignIn(
  { config }: Pick<Context, "config">,
  key: Uint8Array,
  uri: string,
  accepts: readonly { network: string }[],
) {
  const issuedAt = new Date().toISOString();
  const networks = [...new Set(accepts.map(({ network }) => network))];
  return {
    [signInWithX]: {
      info: {
        ...fieldsOf(config, uri),
        nonce: createSignInNonce(key, challengeOf(issuedAt, uri)),
        issuedAt,
      },
      supportedChains: networks.map((chainId) => ({ chainId, type: "eip191" })),
      schema: {},
    },
  };
}

const fieldsOf = ({ publicUrl }: Context["config"], uri: string) =>
  ({ domain: new URL(publicUrl).host, uri, version: "1", statement }) as const;

const challengeOf = (issuedAt: string, uri: string) => `${issuedAt} ${uri}`;

/**
 * Reads the sign-in of a request; null if there is none.
 *
 * @throws ApiError `invalid_request` for a header of another form
 */
export function readSignIn(c: HonoContext): z.output<typeof signInPayload> | null {
  const header = c.req.header(signInWithX);
  if (header === undefined) return null;
  const fault = "Header SIGN-IN-WITH-X: send the base64 of x402's JSON document.";
  const isBase64 = header.length <= largestSignIn && /^[A-Za-z0-9+/]+=*$/.test(header);
  if (!isBase64) throw new ApiError("invalid_request", fault);
  try {
    return parseAs(signInPayload, readJson(Buffer.from(header, "base64")), fault);
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError("invalid_request", fault);
  }
}

/**
 * Proves the wallet of a sign-in at the URL of a service. A message is used up by its first attempt, even if the proof fails.
 *
 * @throws SignInRefusal
 */
export async function proveSignIn(
  context: Context,
  key: Uint8Array,
  uri: string,
  { signature, ...signIn }: z.output<typeof signInPayload>,
): Promise<ProvedWallet> {
  const fields = fieldsOf(context.config, uri);
  const { nonce, issuedAt } = signIn;
  const again = "Sign the message of this response.";
  if (signIn.domain !== fields.domain) {
    throw new SignInRefusal("invalid_siwx_domain_mismatch", `The message is for another domain. ${again}`);
  }
  if (signIn.uri !== uri) {
    throw new SignInRefusal("invalid_siwx_uri_mismatch", `The message is for another service. ${again}`);
  }
  if (!isSignInNonce(key, challengeOf(issuedAt, uri), nonce)) {
    throw new SignInRefusal("invalid_siwx_nonce", `This service did not create the message. ${again}`);
  }
  const expiresAt = new Date(Date.parse(issuedAt) + context.config.nonceSeconds * 1000);
  if (expiresAt.getTime() <= Date.now()) {
    throw new SignInRefusal("invalid_siwx_issued_at_too_old", `The message is expired. ${again}`);
  }
  const chainId = Number(signIn.chainId.slice("eip155:".length));
  if (!context.chain(chainId)) {
    throw new SignInRefusal("invalid_siwx_unsupported_chain", `Chain ${chainId} is not served. ${again}`);
  }
  const address = signIn.address as ProvedWallet["address"];
  const message = createSiweMessage({ ...fields, address, chainId, nonce, issuedAt: new Date(issuedAt) });
  const used = { nonce, address, chainId, messageHash: hashToken(message), expiresAt };
  const [first] = await insertUsedNonce(context.db).execute(used);
  if (!first) throw new SignInRefusal("invalid_siwx_nonce", `The message was already used. ${again}`);
  const proved = await findSigningWallet(context, { address, chainId }, message, signature);
  if (!proved) {
    throw new SignInRefusal("invalid_siwx_signature", `This is no signature by ${address}. ${again}`);
  }
  return proved;
}
