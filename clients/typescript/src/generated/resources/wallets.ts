// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { RemovedWallet, Wallet, WalletProof, Wallets } from "../types.ts";

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
}
