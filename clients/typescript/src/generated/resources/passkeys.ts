// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Passkey } from "../types.ts";

export class PasskeysResource extends ResourceBase {
  /**
   * Read the public key of a passkey. A passkey is known from its first sign-in on. Compare the key with a
   * signature of the passkey before use.
   */
  get(credentialId: string, options?: RequestOptions): Answer<Passkey> {
    return this.send(
      { operation: "readPasskey", verb: "GET", path: path`/passkeys/${credentialId}`, open: true },
      options,
    );
  }
}
