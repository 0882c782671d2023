// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Nonce, NonceRequest, SignIn, SignOut, WalletProof } from "../types.ts";

export class AuthResource extends ResourceBase {
  /** End this session. */
  signOut(options?: RequestOptions): Answer<SignOut> {
    return this.send({ operation: "signOut", verb: "POST", path: "/auth/logout", takesKey: true }, options);
  }

  /** Create a message for a wallet to sign. */
  createNonce(body: NonceRequest, options?: RequestOptions): Answer<Nonce> {
    return this.send(
      { operation: "createNonce", verb: "POST", path: "/auth/nonce", body, takesKey: true },
      options,
    );
  }

  /**
   * Sign in with a signed message. The first attempt uses up the nonce, even if it fails. The first sign-in
   * of a wallet creates its account. A key is the same wallet on every chain. A contract wallet (ERC-1271)
   * is known on the chain that the message names; its address on another chain is another wallet.
   */
  signIn(body: WalletProof, options?: RequestOptions): Answer<SignIn> {
    return this.send(
      { operation: "signIn", verb: "POST", path: "/auth/signin", body, open: true, retries: false },
      options,
    );
  }
}
