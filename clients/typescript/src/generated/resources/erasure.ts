// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Erasure, ErasureRequest, ErasureTakenBack } from "../types.ts";

export class ErasureResource extends ResourceBase {
  /**
   * Request the erasure of your account's words and files. A worker begins after 3 days. Until then DELETE
   * takes the request back. The account buys and sells nothing meanwhile.
   */
  request(body: ErasureRequest, options?: RequestOptions): Answer<Erasure> {
    return this.send(
      { operation: "requestErasure", verb: "POST", path: "/me/erasure", body, takesKey: true },
      options,
    );
  }

  /** Read the state of the newest erasure of your account. */
  get(options?: RequestOptions): Answer<Erasure> {
    return this.send({ operation: "readErasure", verb: "GET", path: "/me/erasure" }, options);
  }

  /** Take the request of an erasure back. */
  takeBack(options?: RequestOptions): Answer<ErasureTakenBack> {
    return this.send(
      { operation: "takeBackErasure", verb: "DELETE", path: "/me/erasure", takesKey: true },
      options,
    );
  }
}
