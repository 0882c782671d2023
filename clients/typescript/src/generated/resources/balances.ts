// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Balances, RefusedPayout, RefusedPayoutPage, RefusedPayoutStatus } from "../types.ts";

export interface BalancesPayoutsListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  status?: RefusedPayoutStatus;
}

export class BalancesPayoutsResource extends ResourceBase {
  /**
   * List your payouts that a token refused, newest first. A token refuses a payout if it is paused or blocks
   * the recipient. The escrow ends all the same, and the contract owes the amount. A key needs
   * `subscriptions:read`.
   */
  list(
    query?: BalancesPayoutsListQuery,
    options?: RequestOptions,
  ): PagePromise<RefusedPayout, RefusedPayoutPage> {
    return this.sendPage(
      { operation: "listRefusedPayouts", verb: "GET", path: "/balances/payouts", query },
      options,
    );
  }
}

export class BalancesResource extends ResourceBase {
  readonly payouts = new BalancesPayoutsResource(this.transport);

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
