// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { PasskeyList } from "../types.ts";

export interface PasskeysFindQuery {
  /** The accounts to look for, with commas between them: at most 4. */
  addresses: string;
}

export class PasskeysResource extends ResourceBase {
  /**
   * Find the accounts that belong to passkeys. A signature of a passkey fits two public keys, or rarely
   * more. Compute the account of each: the one that is found has signed in here.
   */
  find(query: PasskeysFindQuery, options?: RequestOptions): Answer<PasskeyList> {
    return this.send(
      { operation: "findPasskeys", verb: "GET", path: "/passkeys", query, open: true },
      options,
    );
  }
}
