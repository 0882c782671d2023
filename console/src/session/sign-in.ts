import { checkSignInText, type Earnest, type Nonce, type WalletProof } from "earnest-client";
import { homeChainId, serviceUrl } from "../settings.ts";
import { asPerson } from "./as-person.ts";
import { clientOf, sessionClient } from "./client.ts";
import type { ConsoleWallet } from "./console-wallet.ts";
import { beginSession } from "./session.ts";

/** The purpose of a signature: a sign-in, an addition to an account, or the sign-in of the device that shows a code. */
type Purpose = "sign_in" | { client: Earnest; accountId: string } | { userCode: string };

/**
 * Asks a wallet to sign a message, which is checked first.
 *
 * @param chainId the chain on which the signature of a contract wallet is checked
 * @throws UntrustedTextError if the message is not as expected; nothing is signed
 */
export async function proveWallet(
  wallet: ConsoleWallet,
  purpose: Purpose,
  chainId = homeChainId,
): Promise<WalletProof> {
  const { address } = wallet.account ?? wallet;
  const { message, nonce } = await readMessage({ address, chain_id: chainId }, purpose);
  const host = new URL(serviceUrl).host;
  const named =
    purpose === "sign_in"
      ? {}
      : "userCode" in purpose
        ? { userCode: purpose.userCode }
        : { accountId: purpose.accountId };
  checkSignInText(message, { host, address, chainId, nonce, ...named });
  const signature = await wallet.signMessage({ message });
  return { message, nonce, signature, ...(wallet.passkey ? { passkey: wallet.passkey } : {}) };
}

function readMessage(who: { address: string; chain_id: number }, purpose: Purpose): Promise<Nonce> {
  const { auth } = clientOf(null);
  if (purpose === "sign_in") return auth.createNonce({ ...who, purpose }, asPerson);
  if ("userCode" in purpose) return auth.device.createNonce({ ...who, user_code: purpose.userCode });
  return purpose.client.auth.createNonce({ ...who, purpose: "link_wallet" }, asPerson);
}

/** Signs the browser in with a wallet. */
export async function signIn(wallet: ConsoleWallet): Promise<void> {
  beginSession(await sessionClient.sessions.start(await proveWallet(wallet, "sign_in")));
}
