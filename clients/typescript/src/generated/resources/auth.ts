// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  DeviceApproved,
  DeviceCode,
  DeviceLink,
  DeviceNonceRequest,
  DeviceSignIn,
  DeviceSignInPoll,
  DeviceSignInRequest,
  LinkCode,
  Nonce,
  NonceRequest,
  SignIn,
  SignOut,
  UserCode,
  WalletProof,
} from "../types.ts";

export class AuthDeviceResource extends ResourceBase {
  /**
   * Ask for a sign-in by another device. For the console's pages, with the header `Earnest-Console`. The
   * codes are valid for 10 minutes and for one session.
   */
  create(options?: RequestOptions): Answer<DeviceSignIn> {
    return this.send(
      { operation: "createDeviceSignIn", verb: "POST", path: "/auth/device", open: true, mayRepeat: false },
      options,
    );
  }

  /**
   * Approve the sign-in of another device. The proof is a message of `POST /auth/device/nonce`, signed by
   * the wallet. The device that the message names gets a session of the wallet's account. Approve a code
   * only if you see it on a screen in front of you.
   */
  approve(body: WalletProof, options?: RequestOptions): Answer<DeviceApproved> {
    return this.send(
      {
        operation: "approveDeviceSignIn",
        verb: "POST",
        path: "/auth/device/approval",
        body,
        open: true,
        mayRepeat: false,
      },
      options,
    );
  }

  /** Read the code of a scanned link. */
  openLink(body: LinkCode, options?: RequestOptions): Answer<DeviceLink> {
    return this.send(
      {
        operation: "openDeviceLink",
        verb: "POST",
        path: "/auth/device/link",
        body,
        open: true,
        mayRepeat: false,
      },
      options,
    );
  }

  /**
   * Create a message that approves the sign-in of another device. The message names the code and the device.
   * It approves nothing else, and a message of `POST /auth/nonce` does not approve a device.
   */
  createNonce(body: DeviceNonceRequest, options?: RequestOptions): Answer<Nonce> {
    return this.send(
      {
        operation: "createDeviceNonce",
        verb: "POST",
        path: "/auth/device/nonce",
        body,
        open: true,
        mayRepeat: false,
      },
      options,
    );
  }

  /** Refuse the sign-in of another device. */
  refuse(body: UserCode, options?: RequestOptions): Answer<UserCode> {
    return this.send(
      {
        operation: "refuseDeviceSignIn",
        verb: "POST",
        path: "/auth/device/refusal",
        body,
        open: true,
        mayRepeat: false,
      },
      options,
    );
  }

  /** Read which device asks for a sign-in. */
  get(body: UserCode, options?: RequestOptions): Answer<DeviceSignInRequest> {
    return this.send(
      { operation: "readDeviceSignIn", verb: "POST", path: "/auth/device/request", body, open: true },
      options,
    );
  }

  /**
   * Ask whether the other device approved. For the console's pages. Once the other device approved, the
   * answer sets the session's cookie.
   */
  poll(body: DeviceCode, options?: RequestOptions): Answer<DeviceSignInPoll> {
    return this.send(
      {
        operation: "pollDeviceSignIn",
        verb: "POST",
        path: "/auth/device/session",
        body,
        open: true,
        mayRepeat: false,
      },
      options,
    );
  }
}

export class AuthResource extends ResourceBase {
  readonly device = new AuthDeviceResource(this.transport);

  /** End this session. In the console, the answer also removes the cookie. */
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
      { operation: "signIn", verb: "POST", path: "/auth/signin", body, open: true, mayRepeat: false },
      options,
    );
  }
}
