import type { Hex } from "viem";
import { digestOf } from "../../../../protocol/settlement/index.ts";
import type { BaseClient } from "../base-client.ts";
import type { RawResponse } from "../core/call.ts";
import { ApiError } from "../core/errors.ts";
import type { Order, OrderRequest } from "../generated/types.ts";
import { endStatuses } from "./purchase.ts";
import { type HeldToken, namesOf } from "./tokens.ts";

/**
 * Places the order exactly once, even across restarts.
 *
 * @param name the idempotency key; later orders of an equal purchase number it
 * @param key the caller's own name of the purchase, which always means the same one
 */
export async function placeOnce(
  client: BaseClient,
  request: OrderRequest,
  name: string,
  { key, signal }: { key?: string | undefined; signal?: AbortSignal | undefined },
): Promise<Order> {
  for (let number = 1; ; number++) {
    const idempotencyKey = number === 1 ? name : `${name}.${number}`;
    try {
      const placed = client.orders.place(request, { idempotencyKey, signal });
      const { data, response } = await placed.withResponse();
      if (!isReplay(response)) return data;
      // A replay has the order as it was placed, so its present state is read.
      const order = await client.orders.get(data.id, { signal });
      if (key !== undefined || !endStatuses.includes(order.status)) return order;
    } catch (error) {
      // A replayed refusal created nothing, and its cause may be gone: try the next key.
      if (!(error instanceof ApiError && error.status < 500 && isReplay(error))) throw error;
    }
  }
}

const isReplay = ({ headers }: Pick<RawResponse, "headers">) => headers.get("idempotent-replayed") === "true";

/**
 * Names a purchase by what the caller asked for: all held tokens, not the chosen one, and no quantity that the service's limits
 * chose. A service that changes its tokens or its limits later is not paid twice.
 */
export const nameOf = (asked: Record<string, unknown>, held: readonly HeldToken[] | undefined): Hex =>
  digestOf(held ? { ...asked, pay_with: namesOf(held) } : asked);
