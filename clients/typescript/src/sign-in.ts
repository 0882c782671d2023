import type { BaseClient } from "./base-client.ts";
import type { RequestOptions } from "./core/call.ts";
import { EarnestError } from "./core/errors.ts";
import type { NoncePurpose } from "./generated/types.ts";

/** A signer: a viem `LocalAccount`, a viem wallet client with an account, or an object with the same members. */
export type SigningWallet = (
  | { address: string; account?: undefined }
  | { account: { address: string }; address?: undefined }
) & {
  signMessage(args: { message: string }): Promise<string>;
};

/** The expected contents of the message. */
export interface ExpectedText {
  /** The host, with a port other than the default: `localhost:42069`. */
  host: string;
  address: string;
  chainId: number;
  nonce: string;
  /** The account that the wallet is added to, for `link_wallet`. */
  accountId?: string;
  /** The code of the device that the wallet signs in, for `auth.device.approve`. */
  userCode?: string;
  now?: Date;
}

/** The service's message is not as expected. Nothing was signed. */
export class UntrustedTextError extends EarnestError {}

/** The exact form of the service's message (EIP-4361). Nothing may follow it, especially no resources. */
const textShape = new RegExp(
  [
    String.raw`^(?<host>\S+) wants you to sign in with your Ethereum account:`,
    "(?<address>0x[0-9a-fA-F]{40})",
    "",
    String.raw`(?<statement>[^\n]+)`,
    "",
    String.raw`URI: (?<uri>\S+)`,
    "Version: 1",
    String.raw`Chain ID: (?<chainId>\d+)`,
    "Nonce: (?<nonce>[A-Za-z0-9]{8,})",
    String.raw`Issued At: (?<issuedAt>\S+)`,
    String.raw`Expiration Time: (?<expiresAt>\S+)$`,
  ].join("\n"),
);

/**
 * Checks a sign-in message before a wallet signs it: host, URI, wallet, chain, nonce, purpose and expiry. The message may
 * have nothing else.
 *
 * @throws UntrustedTextError with all faults
 */
export function checkSignInText(text: string, expected: ExpectedText): void {
  const parts = textShape.exec(text)?.groups;
  if (!parts) {
    throw new UntrustedTextError("The message is not a plain EIP-4361 sign-in. Nothing was signed.");
  }
  const statement = statementOf(expected);
  const now = expected.now ?? new Date();
  const wrong = [
    parts.host === expected.host ? "" : `it is for the host ${parts.host}, not ${expected.host}`,
    hostOf(parts.uri) === expected.host ? "" : `its URI is ${parts.uri}, not of host ${expected.host}`,
    parts.address?.toLowerCase() === expected.address.toLowerCase()
      ? ""
      : `it is for the wallet ${parts.address}, not ${expected.address}`,
    parts.chainId === String(expected.chainId)
      ? ""
      : `it is for chain ${parts.chainId}, not ${expected.chainId}`,
    parts.nonce === expected.nonce ? "" : "its nonce is not the one that came with it",
    parts.statement?.startsWith(statement)
      ? ""
      : `its statement is ${JSON.stringify(parts.statement)}, not ${JSON.stringify(statement)}`,
    Date.parse(parts.expiresAt ?? "") > now.getTime() ? "" : `it expired at ${parts.expiresAt}`,
  ].filter(Boolean);
  if (wrong.length > 0)
    throw new UntrustedTextError(`The sign-in message was not signed: ${wrong.join("; ")}.`);
}

/** The begin of the statement, which names the purpose. */
function statementOf({ accountId, userCode }: ExpectedText): string {
  if (accountId) return `Add this wallet to the Earnest account ${accountId},`;
  return userCode ? `Sign in the device that shows the code ${userCode}:` : "Sign in to Earnest.";
}

function hostOf(uri: string | undefined): string | null {
  try {
    const { protocol, host } = new URL(uri ?? "");
    return /^https?:$/.test(protocol) ? host : null;
  } catch {
    return null;
  }
}

export interface SignInOptions {
  wallet: SigningWallet;
  chainId: number;
  /** The host that the message has to name, if the service is reached by another host. Default: the host of `baseUrl`. */
  host?: string;
}

/**
 * Proves a wallet: requests the service's message, checks it, and signs it.
 *
 * @throws UntrustedTextError if the message is not as expected; nothing is signed
 */
export async function proveWallet(
  client: BaseClient,
  { wallet, chainId, host }: SignInOptions,
  purpose: NoncePurpose,
  accountId?: string,
  request?: RequestOptions,
): Promise<{ message: string; nonce: string; signature: string }> {
  const address = wallet.account?.address ?? wallet.address;
  if (address === undefined) throw new TypeError("The wallet has no address. Pass a wallet with an account.");
  const nonceRequest = { address, chain_id: chainId, purpose };
  // Each step is a separate write, so the caller's idempotency key cannot be used for both.
  const { message, nonce } = await client.auth.createNonce(nonceRequest, {
    ...request,
    organisation: null,
    idempotencyKey: undefined,
  });
  const expected = { host: host ?? new URL(client.baseUrl).host, address, chainId, nonce, accountId };
  checkSignInText(message, expected);
  return { message, nonce, signature: await wallet.signMessage({ message }) };
}
