import { checkSignInText, type WalletProof } from "earnest-client";
import { serviceUrl } from "../settings.ts";
import { homeChainId } from "../wallet/wallet-config.ts";
import { clientOf, sessionClient } from "./client.ts";
import type { ConsoleWallet } from "./console-wallet.ts";
import { beginSession } from "./session.ts";

/**
 * Asks a wallet to sign a sign-in message, which is checked first.
 *
 * @throws UntrustedTextError if the message is not as expected; nothing is signed
 */
export async function proveWallet(wallet: ConsoleWallet): Promise<WalletProof> {
  const { address } = wallet.account ?? wallet;
  const { message, nonce } = await clientOf(null).auth.createNonce({
    address,
    chain_id: homeChainId,
    purpose: "sign_in",
  });
  checkSignInText(message, { host: new URL(serviceUrl).host, address, chainId: homeChainId, nonce });
  const signature = await wallet.signMessage({ message });
  return { message, nonce, signature, ...(wallet.passkey ? { passkey: wallet.passkey } : {}) };
}

/** Signs the browser in with a wallet. */
export async function signIn(wallet: ConsoleWallet): Promise<void> {
  beginSession(await sessionClient.sessions.start(await proveWallet(wallet)));
}
