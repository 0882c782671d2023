import { z } from "zod";
import { defineTool } from "../tool.ts";
import * as schemas from "../tool-schemas.ts";
import { markUntrusted, untrustedSchema } from "../untrusted-text.ts";

const shown = z.object({
  id: z.string(),
  by: z.string(),
  is_own: z.boolean(),
  created_at: z.string(),
  untrusted: untrustedSchema({ text: z.string().nullable(), files: z.array(z.string()) }),
});

const listMessages = defineTool({
  name: "list_messages",
  title: "Read messages",
  description: "Reads the messages on an order, newest first, and marks none as read.",
  scopes: ["orders:read"],
  does: "reads",
  input: z.strictObject({ order_id: schemas.orderId, limit: schemas.limit, cursor: schemas.cursor }),
  output: z.object({ messages: z.array(shown), next_cursor: z.string().nullable() }),
  async run({ earnest }, { order_id, ...page }, { signal }) {
    const { body: found } = await earnest.orders.messages.list(order_id, page, { signal });
    return {
      sentence: `${found.items.length} messages of ${order_id} are shown.`,
      fields: {
        messages: found.items.map(({ id, by, is_own, created_at, text, files }) => ({
          id,
          by: by as string,
          is_own,
          created_at,
          untrusted: markUntrusted({ text, files: files.map(({ file_id }) => file_id) }),
        })),
        next_cursor: found.next_cursor,
      },
    };
  },
});

const writeMessage = defineTool({
  name: "write_message",
  title: "Write a message",
  description: "Writes to the other party of an order. It changes nothing of the order.",
  scopes: ["orders:write"],
  does: "adds",
  input: z.strictObject({
    order_id: schemas.orderId,
    text: z.string().min(1).max(8000),
    idempotency_key: schemas.idempotencyKey,
  }),
  output: z.object({ id: z.string(), created_at: z.string() }),
  async run({ earnest }, { order_id, text, idempotency_key }, { signal }) {
    const options = { signal, ...schemas.keyOf("write_message", idempotency_key) };
    const { id, created_at } = await earnest.orders.messages.write(order_id, { text }, options);
    return { sentence: `The message ${id} is written on ${order_id}.`, fields: { id, created_at } };
  },
});

/** The tools for the messages on an order. */
export const messageTools = [listMessages, writeMessage];
