// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  AccountDeployment,
  Amount,
  RelayAnswer,
  RemovedWallet,
  SignedTransfer,
  TransferToSign,
  Wallet,
  WalletProof,
  Wallets,
} from "../types.ts";

export interface WalletsGetTransferToSignQuery {
  to: string;
  amount: Amount;
  /** A token of the wallet's chain; its default token unless given. */
  token?: string;
}

export class WalletsResource extends ResourceBase {
  /** List your verified wallets. */
  list(options?: RequestOptions): Answer<Wallets> {
    return this.send({ operation: "listWallets", verb: "GET", path: "/auth/me/wallets" }, options);
  }

  /**
   * Add a wallet to your account. The proof is a message of `POST /auth/nonce` with the purpose
   * `link_wallet`, made in a session of this account and signed by the wallet. The wallet may then sign in,
   * receive payments and place orders for the account.
   */
  add(body: WalletProof, options?: RequestOptions): Answer<Wallet> {
    return this.send(
      { operation: "addWallet", verb: "POST", path: "/auth/me/wallets", body, takesKey: true },
      options,
    );
  }

  /**
   * Remove a wallet from your account. The primary wallet and payout wallets cannot be removed. Sessions of
   * the wallet end. Its orders continue, and the contract still allows the wallet what it allowed before.
   */
  remove(walletId: string, options?: RequestOptions): Answer<RemovedWallet> {
    return this.send(
      { operation: "removeWallet", verb: "DELETE", path: path`/auth/me/wallets/${walletId}`, takesKey: true },
      options,
    );
  }

  /**
   * Deploy a passkey account. The escrow accepts signatures of deployed accounts only. A payment deploys its
   * payer's account; a provider's account needs this before its first delivery record. The service pays the
   * gas once one of your orders is funded.
   */
  deploy(walletId: string, options?: RequestOptions): Answer<AccountDeployment> {
    return this.send(
      {
        operation: "deployPasskeyAccount",
        verb: "POST",
        path: path`/auth/me/wallets/${walletId}/deployment`,
        takesKey: true,
      },
      options,
    );
  }

  /** Make a wallet your primary one. The primary wallet is the buyer's wallet of orders that name none. */
  makePrimary(walletId: string, options?: RequestOptions): Answer<Wallet> {
    return this.send(
      {
        operation: "makeWalletPrimary",
        verb: "PUT",
        path: path`/auth/me/wallets/${walletId}/primary`,
        takesKey: true,
      },
      options,
    );
  }

  /** Read what a passkey signs to move tokens out of its account. */
  getTransferToSign(
    walletId: string,
    query: WalletsGetTransferToSignQuery,
    options?: RequestOptions,
  ): Answer<TransferToSign> {
    return this.send(
      {
        operation: "readTransferToSign",
        verb: "GET",
        path: path`/auth/me/wallets/${walletId}/transfer`,
        query,
        exact: { amount: "amount" },
      },
      options,
    );
  }

  /**
   * Move tokens out of a passkey account. Takes the passkey's signature of the transfer and sends it. The
   * service pays the gas. The account is deployed with it if it does not exist. A repeated request gets the
   * same relay.
   */
  transfer(walletId: string, body: SignedTransfer, options?: RequestOptions): Answer<RelayAnswer> {
    return this.send(
      {
        operation: "sendTransfer",
        verb: "POST",
        path: path`/auth/me/wallets/${walletId}/transfer`,
        body,
        takesKey: true,
        exact: { amount: "amount", nonce: "uint256", deadline: "uint256" },
      },
      options,
    );
  }
}
