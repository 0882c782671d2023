import { findPasskey } from "../passkey/stored-passkeys.ts";
import { isSampleWallet } from "../sample/sample-wallet.ts";

/** The place of an account's key: in a wallet of the browser, in a passkey, or, for a sample, in the page's storage. */
export type KeyPlace = "browser" | "passkey" | "sample";

export const keyPlaceOf = (address: string): KeyPlace => {
  if (findPasskey(address)) return "passkey";
  return isSampleWallet(address) ? "sample" : "browser";
};
