import { z } from "zod";
import { fromBaseUnits } from "../../src/index.ts";
import { readOrder } from "../agreed-order.ts";
import { defineTool } from "../tool.ts";
import { type HeldSessions, RefusedCall, type ToolContext } from "../tool-context.ts";
import * as schemas from "../tool-schemas.ts";
import { markUntrusted, untrustedSchema } from "../untrusted-text.ts";

/** @throws RefusedCall without a wallet */
function sessionsOf({ sessions }: ToolContext): HeldSessions {
  if (sessions) return sessions;
  throw new RefusedCall(
    "no_wallet",
    "A call of a session is signed by a wallet, and this connection holds none. Run `earnest mcp` with WALLET_KEY.",
  );
}

const callService = defineTool({
  name: "call_service",
  title: "Call a service",
  description:
    "Sends one call to the provider in a session: an order of a per_call service that pay_order has funded. The call costs the service's price, from the order's balance alone.",
  scopes: ["orders:read"],
  does: "ends",
  input: z.strictObject({
    order_id: schemas.orderId,
    input: z.unknown().describe("The JSON input of the call, as get_service describes it."),
    idempotency_key: schemas.idempotencyKey,
  }),
  output: z.object({
    order_id: z.string(),
    spent: z.string().describe("What the calls cost so far."),
    balance: z.string(),
    untrusted: untrustedSchema({ output: z.unknown() }),
  }),
  async run(context, { order_id, input, idempotency_key }, { signal }) {
    const sessions = sessionsOf(context);
    const read = await readOrder(context, order_id, signal);
    const { answer, balance } = await sessions.call(read, input, idempotency_key);
    const { decimals } = read.agreed.agreement.token as { decimals: number };
    const [spent, whole] = [answer.spent, balance].map((units) => fromBaseUnits(units, decimals));
    const output = answer.output instanceof Uint8Array ? readText(answer.output) : answer.output;
    return {
      sentence: `${order_id}: the call is answered. All calls cost ${spent} of ${whole} ${read.order.currency}.`,
      fields: {
        order_id,
        spent: String(spent),
        balance: String(whole),
        untrusted: markUntrusted({ output }),
      },
    };
  },
});

const readText = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

const closeSession = defineTool({
  name: "close_session",
  title: "Close a session",
  description:
    "Asks the provider to take what the calls of a session cost, and to give the rest back. wait_for_order then shows the end.",
  scopes: ["orders:read"],
  does: "ends",
  input: z.strictObject({ order_id: schemas.orderId, idempotency_key: schemas.optionalKey }),
  output: z.object({ order_id: z.string(), status: z.literal("closing"), spent: z.string() }),
  async run(context, { order_id }, { signal }) {
    const sessions = sessionsOf(context);
    const read = await readOrder(context, order_id, signal);
    const { decimals } = read.agreed.agreement.token as { decimals: number };
    const spent = fromBaseUnits(await sessions.close(read), decimals);
    return {
      sentence: `${order_id} is closing: its calls cost ${spent} ${read.order.currency}, and the rest comes back.`,
      fields: { order_id, status: "closing" as const, spent },
    };
  },
});

/** The tools of a program that holds a wallet. */
export const sessionTools = [callService, closeSession];
