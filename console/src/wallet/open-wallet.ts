import {
  type Account,
  type Chain,
  type EIP1193Provider,
  type LocalAccount,
  numberToHex,
  type Transport,
  type WalletClient,
} from "viem";
import { getConnection, getWalletClient, switchChain } from "wagmi/actions";
import { passkeyWallet } from "../passkey/passkey-wallet.ts";
import { findPasskey } from "../passkey/stored-passkeys.ts";
import { WalletProblem } from "../problems/problem.ts";
import { openSampleWallet } from "../sample/sample-wallet.ts";
import { findChain } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { walletConfig, walletReconnected } from "./wallet-config.ts";

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
  // A click right after the page's start comes before the wallet has answered.
  await walletReconnected;
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
  if (connection.chainId !== chainId) throw new WalletProblem("wrong_chain", undefined, chainId);
  return await getWalletClient(walletConfig, { chainId, account: connection.address });
}

/**
 * Asks the wallet to switch its chain, and to add the chain if the wallet does not know it.
 *
 * @throws WalletProblem `unknown_chain` if the wallet lacks a chain of which this page knows no node
 */
export async function askForChain(chainId: number): Promise<void> {
  const { publicNetworks } = await import("./public-networks.ts");
  const local = findChain(chainId)?.rpc_url;
  const described = publicNetworks[chainId] ?? (local ? { rpcUrls: [local] } : null);
  if (!described) return await switchKnown(chainId);
  await switchChain(walletConfig, { chainId, addEthereumChainParameter: described });
}

/** Switches the chain without adding one: wagmi would ask the wallet to add a chain that has no node. */
async function switchKnown(chainId: number): Promise<void> {
  const { connector } = getConnection(walletConfig);
  const provider = (await connector?.getProvider()) as EIP1193Provider | undefined;
  if (!provider) throw new WalletProblem("no_wallet");
  await provider.request({
    method: "wallet_switchEthereumChain",
    params: [{ chainId: numberToHex(chainId) }],
  });
}
