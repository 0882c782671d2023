import type { Account, Chain, LocalAccount, Transport, WalletClient } from "viem";
import { getConnection, getWalletClient, switchChain } from "wagmi/actions";
import { passkeyWallet } from "../passkey/passkey-wallet.ts";
import { findPasskey } from "../passkey/stored-passkeys.ts";
import { openSampleWallet } from "../sample/sample-wallet.ts";
import { i18n } from "../text/i18n.ts";
import { WalletProblem } from "./problems.ts";
import { walletConfig } from "./wallet-config.ts";

/** A wallet of the browser, or the account of a passkey or a sample, which signs and sends no transactions. */
export type OpenWallet = WalletClient<Transport, Chain, Account> | LocalAccount;

/**
 * Returns the passkey or the sample wallet of an account, or the connected wallet if it is on the right account and chain.
 *
 * @throws WalletProblem otherwise
 */
export async function openWallet(address: string, chainId: number): Promise<OpenWallet> {
  const passkey = findPasskey(address);
  if (passkey) return passkeyWallet(passkey, chainId);
  const sample = await openSampleWallet(address);
  if (sample) return sample;
  const connection = getConnection(walletConfig);
  if (connection.status !== "connected") throw new WalletProblem("no_wallet");
  if (connection.address.toLowerCase() !== address.toLowerCase()) {
    throw new WalletProblem(
      "wrong_account",
      i18n.t("Your wallet is on {connected}. Switch to {address}.", {
        connected: connection.address,
        address,
      }),
    );
  }
  if (connection.chainId !== chainId) throw new WalletProblem("wrong_chain");
  return await getWalletClient(walletConfig, { chainId, account: connection.address });
}

/** Asks the wallet to switch its chain. */
export async function askForChain(chainId: number): Promise<void> {
  await switchChain(walletConfig, { chainId });
}
