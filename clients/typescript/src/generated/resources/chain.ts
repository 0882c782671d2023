// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { ChainList, ChainStatus } from "../types.ts";

export class ChainResource extends ResourceBase {
  /**
   * Read the state of the default chain and its index. A value that cannot be determined now is null. `GET
   * /chains` describes every chain.
   */
  getStatus(options?: RequestOptions): Answer<ChainStatus> {
    return this.send(
      { operation: "readChainStatus", verb: "GET", path: "/chain/status", open: true },
      options,
    );
  }

  /**
   * List the chains, their tokens and their state. The chains on which orders can settle. One chain that
   * does not answer delays no order on another.
   */
  list(options?: RequestOptions): Answer<ChainList> {
    return this.send({ operation: "listChains", verb: "GET", path: "/chains", open: true }, options);
  }
}
