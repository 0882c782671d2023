import { findPasskey } from "../passkey/stored-passkeys.ts";
import { isSampleWallet } from "../sample/sample-wallet.ts";

/** The place of an account's key: in a wallet of the browser, in a passkey, or, for a sample, in the page's storage. */
export type WalletKind = "browser" | "passkey" | "sample";

export const walletKindOf = (address: string): WalletKind => {
  if (findPasskey(address)) return "passkey";
  return isSampleWallet(address) ? "sample" : "browser";
};
