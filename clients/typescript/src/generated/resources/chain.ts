// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { ChainStatus } from "../types.ts";

export class ChainResource extends ResourceBase {
  /** Read the state of the chain and its index. A value that cannot be determined now is null. */
  getStatus(options?: RequestOptions): Answer<ChainStatus> {
    return this.send(
      { operation: "readChainStatus", verb: "GET", path: "/chain/status", open: true },
      options,
    );
  }
}
