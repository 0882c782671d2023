import type { Context as HonoContext } from "hono";
import type { Context } from "../context.ts";
import { readCaller } from "../http/access.ts";
import { originOf } from "../http/client-address.ts";
import { createRequestSlots, requireSlot } from "../http/request-slots.ts";
import type { Variables } from "../variables.ts";

/** The slots for payments that are checked without an account, because each check calls a node. */
export type CheckSlots = ReturnType<typeof createCheckSlots>;

export function createCheckSlots(context: Context) {
  const { address, process: total } = context.config.buying.checks;
  const slots = createRequestSlots(context.db, { total, address });

  return {
    /**
     * Runs a check in a slot.
     *
     * @throws ApiError `rate_limited` if none is free; the check's error
     */
    async run<Result>(
      c: HonoContext<{ Variables: Variables }>,
      check: () => Promise<Result>,
    ): Promise<Result> {
      // The payment's signature is not checked yet. An account is known only by a token of the request.
      const accountId = (await readCaller(context, c).catch(() => null))?.accountId ?? null;
      const message =
        "Too many payments are being checked. This payment was not used: send it again in a moment.";
      const slot = requireSlot(await slots.enter({ accountId, ...originOf(c) }), message, 1);
      return check().finally(slot.leave);
    },
  };
}
