// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { ChainStatus } from "../types.ts";

export class ChainResource extends ResourceBase {
  /** The chain, and whether it and the index can be reached. What cannot be known at the moment is null. */
  getStatus(options?: RequestOptions): Answer<ChainStatus> {
    return this.send(
      { operation: "readChainStatus", verb: "GET", path: "/chain/status", open: true },
      options,
    );
  }
}
