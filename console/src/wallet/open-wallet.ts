import type { Account, Chain, Transport, WalletClient } from "viem";
import { getConnection, getWalletClient, switchChain } from "wagmi/actions";
import { WalletProblem } from "./problems.ts";
import { walletConfig } from "./wallet-config.ts";

export type OpenWallet = WalletClient<Transport, Chain, Account>;

/**
 * Returns the connected wallet if it is on the right account and chain.
 *
 * @throws WalletProblem otherwise
 */
export async function openWallet(address: string, chainId: number): Promise<OpenWallet> {
  const connection = getConnection(walletConfig);
  if (connection.status !== "connected") throw new WalletProblem("no_wallet");
  if (connection.address.toLowerCase() !== address.toLowerCase()) {
    throw new WalletProblem(
      "wrong_account",
      `Your wallet is on ${connection.address}. Switch to ${address}.`,
    );
  }
  if (connection.chainId !== chainId) throw new WalletProblem("wrong_chain");
  return await getWalletClient(walletConfig, { chainId, account: connection.address });
}

/** Asks the wallet to switch its chain. */
export async function askForChain(chainId: number): Promise<void> {
  await switchChain(walletConfig, { chainId });
}
