import { checkSignInText, type Earnest, type WalletProof } from "earnest-client";
import { homeChainId, serviceUrl } from "../settings.ts";
import { clientOf, sessionClient } from "./client.ts";
import type { ConsoleWallet } from "./console-wallet.ts";
import { beginSession } from "./session.ts";

/**
 * Asks a wallet to sign a message, which is checked first.
 *
 * @param link the session's client and account, if the wallet is to be added to that account
 * @throws UntrustedTextError if the message is not as expected; nothing is signed
 */
export async function proveWallet(
  wallet: ConsoleWallet,
  link?: { client: Earnest; accountId: string },
): Promise<WalletProof> {
  const { address } = wallet.account ?? wallet;
  const { message, nonce } = await (link?.client ?? clientOf(null)).auth.createNonce(
    { address, chain_id: homeChainId, purpose: link ? "link_wallet" : "sign_in" },
    { organisation: null },
  );
  const host = new URL(serviceUrl).host;
  const account = link ? { accountId: link.accountId } : {};
  checkSignInText(message, { host, address, chainId: homeChainId, nonce, ...account });
  const signature = await wallet.signMessage({ message });
  return { message, nonce, signature, ...(wallet.passkey ? { passkey: wallet.passkey } : {}) };
}

/** Signs the browser in with a wallet. */
export async function signIn(wallet: ConsoleWallet): Promise<void> {
  beginSession(await sessionClient.sessions.start(await proveWallet(wallet)));
}
