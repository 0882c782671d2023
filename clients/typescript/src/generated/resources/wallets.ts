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
   * Add a wallet to your account. Signed by that wallet: a message of `POST /auth/nonce` with the purpose
   * `link_wallet`, asked for in a session of this account. It may then sign in, be paid and place orders for
   * it.
   */
  add(body: WalletProof, options?: RequestOptions): Answer<Wallet> {
    return this.send(
      { operation: "addWallet", verb: "POST", path: "/auth/me/wallets", body, takesKey: true },
      options,
    );
  }

  /**
   * Take a wallet from your account. Not the primary one, nor one that an agent is paid to. Sessions that it
   * signed in end. Orders that name it go on: what it may do on the chain is the contract's to say.
   */
  remove(walletId: string, options?: RequestOptions): Answer<RemovedWallet> {
    return this.send(
      { operation: "removeWallet", verb: "DELETE", path: path`/auth/me/wallets/${walletId}`, takesKey: true },
      options,
    );
  }

  /** Make a wallet your primary one. It is the buyer's wallet of orders that name none. */
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
