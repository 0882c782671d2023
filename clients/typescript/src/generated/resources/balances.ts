// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Balances } from "../types.ts";

export class BalancesResource extends ResourceBase {
  /**
   * Read the money in your wallets and in escrow. The balances of the primary wallet and of the oldest other
   * wallets, at most 10: an entry for each wallet, served chain and token of the chain. The default chain is
   * the first. Balances come from the chain's node and are at most a second old. A chain that does not
   * answer delays no other chain. The amounts in escrow follow the confirmed events of the chain. Deposits
   * are those of your newest 100 orders of 90 days. A key needs `subscriptions:read`.
   */
  get(options?: RequestOptions): Answer<Balances> {
    return this.send({ operation: "readBalances", verb: "GET", path: "/balances" }, options);
  }
}
