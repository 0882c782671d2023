// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Nonce, NonceRequest, SignIn, SignOut, WalletProof } from "../types.ts";

export class AuthResource extends ResourceBase {
  /** End this session. */
  signOut(options?: RequestOptions): Answer<SignOut> {
    return this.send({ operation: "signOut", verb: "POST", path: "/auth/logout", takesKey: true }, options);
  }

  /** Ask for a message to be signed by a wallet. */
  createNonce(body: NonceRequest, options?: RequestOptions): Answer<Nonce> {
    return this.send(
      { operation: "createNonce", verb: "POST", path: "/auth/nonce", body, takesKey: true },
      options,
    );
  }

  /**
   * Sign in with a signed message. The nonce is used up by the first attempt, whatever comes of it. The
   * first sign-in of a wallet makes its account. A key is known on every chain; a contract (ERC-1271) on the
   * chain that the message names, and its address elsewhere is another wallet.
   */
  signIn(body: WalletProof, options?: RequestOptions): Answer<SignIn> {
    return this.send(
      { operation: "signIn", verb: "POST", path: "/auth/signin", body, open: true, retries: false },
      options,
    );
  }
}
