import { EarnestError } from "./core/errors.ts";

/** Who signs: a viem `LocalAccount`, a viem wallet client with its account, or whatever has the same members. */
export type SigningWallet = (
  | { address: string; account?: undefined }
  | { account: { address: string }; address?: undefined }
) & {
  signMessage(args: { message: string }): Promise<string>;
};

/** What the text to be signed has to say. */
export interface ExpectedText {
  /** With the port, where it is not the scheme's own: `localhost:42069`. */
  host: string;
  address: string;
  chainId: number;
  nonce: string;
  /** For `link_wallet`, the account that the wallet is added to. */
  accountId?: string;
  now?: Date;
}

/** The service gave a text that does not say what was asked for. Nothing was signed. */
export class UntrustedTextError extends EarnestError {}

/** All that a text of the service has (EIP-4361), in its order; nothing may follow, above all no resources. */
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
 * Checks a text before a wallet signs it: it names the service's own host and address, the wallet, the chain and the
 * nonce, says the purpose, has not expired, and asks for nothing else.
 *
 * @throws UntrustedTextError with all that is wrong
 */
export function checkSignInText(text: string, expected: ExpectedText): void {
  const found = textShape.exec(text)?.groups;
  if (!found) {
    throw new UntrustedTextError(
      "The text to sign is not the sign-in that EIP-4361 describes, or asks for more. It was not signed.",
    );
  }
  const statement = expected.accountId
    ? `Add this wallet to the Earnest account ${expected.accountId},`
    : "Sign in to Earnest.";
  const now = expected.now ?? new Date();
  const wrong = [
    found.host === expected.host ? "" : `it is for the host ${found.host}, not ${expected.host}`,
    hostOf(found.uri) === expected.host ? "" : `it is for the address ${found.uri}, not for ${expected.host}`,
    found.address?.toLowerCase() === expected.address.toLowerCase() ? "" : `it is for ${found.address}`,
    found.chainId === String(expected.chainId) ? "" : `it is for chain ${found.chainId}`,
    found.nonce === expected.nonce ? "" : "its nonce is not the one that came with it",
    found.statement?.startsWith(statement) ? "" : `it says ${JSON.stringify(found.statement)}`,
    Date.parse(found.expiresAt ?? "") > now.getTime() ? "" : `it expired at ${found.expiresAt}`,
  ].filter(Boolean);
  if (wrong.length > 0) throw new UntrustedTextError(`The text to sign was not signed: ${wrong.join("; ")}.`);
}

function hostOf(uri: string | undefined): string | null {
  try {
    const { protocol, host } = new URL(uri ?? "");
    return /^https?:$/.test(protocol) ? host : null;
  } catch {
    return null;
  }
}
