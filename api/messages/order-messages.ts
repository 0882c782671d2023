import { createRoute, z } from "@hono/zod-openapi";
import { typeid } from "typeid-js";
import { and, eq } from "../../db/drizzle.ts";
import { orderMessage } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { writableDays } from "../../protocol/settlement/vocabulary.ts";
import { messageLimits } from "../../trade/messages/message-limits.ts";
import { writeMessage } from "../../trade/messages/order-message.ts";
import { isReadableBy, markMessagesRead } from "../../trade/messages/read-state.ts";
import { withdrawMessage } from "../../trade/messages/withdrawal.ts";
import { readSharedOrder } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { attachedFilesField } from "../files/file-reference.ts";
import { callerOf } from "../http/access.ts";
import { idField } from "../http/fields.ts";
import type { Ordering } from "../http/list-order.ts";
import { countRows, pageQuery, pageSchema, readPage } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { orderParams } from "../orders/order.ts";
import type { App } from "../variables.ts";
import { messageSchema, messageText, presentMessage } from "./message.ts";

const messageRequest = z
  .strictObject({ text: messageText, files: attachedFilesField.optional() })
  .openapi("MessageRequest", { example: { text: "Which dialect should the translation have?" } });
const readRequest = z
  .strictObject({
    up_to: idField("msg").openapi({ description: "this message and all older ones are read" }),
  })
  .openapi("MessagesToRead");
const messageParams = orderParams.extend({ message_id: idField("msg") });

/** The positions of one order's messages are unique. */
const newestMessages: Ordering = {
  name: "newest",
  direction: "desc",
  keys: [{ by: orderMessage.position, type: "count" }],
};

/** Adds the routes of the messages on an order: no message is a fact or changes the order. */
export function addOrderMessages(app: App, context: Context): void {
  const { db } = context;
  const path = "/orders/{id}/messages";

  app.openapi(
    createRoute({
      method: "get",
      path,
      operationId: "listMessages",
      tags: ["messages"],
      summary: "List the messages on an order, newest first",
      description:
        "For buyer and provider, and for the arbiter once a dispute is confirmed. The arbiter also reads what the parties wrote before the dispute, and nothing that they write after its end. A withdrawn message stays in the list without its text. Reading a list marks nothing as read.",
      ...accessRule(context, "order"),
      request: { params: orderParams, query: pageQuery },
      responses: {
        200: jsonResponse("A page of messages", pageSchema(messageSchema).openapi("MessagePage")),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { row, role } = await readSharedOrder(db, caller, c.req.valid("param").id);
      const condition = and(eq(orderMessage.orderId, row.id), isReadableBy(role));
      const page = await readPage(newestMessages, c.req.valid("query"), {
        select: ({ position, after, order, limit, offset }) =>
          db
            .select({ message: orderMessage, position })
            .from(orderMessage)
            .where(and(condition, after))
            .orderBy(...order)
            .limit(limit)
            .offset(offset),
        count: () => countRows(db, orderMessage, condition),
        present: ({ message }) => presentMessage(message, caller),
      });
      return c.json(page, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path,
      operationId: "writeMessage",
      tags: ["messages"],
      summary: "Write a message on an order",
      description: `Buyer and provider can write at any time of the order, and for ${writableDays} days after its end. The arbiter can write while a dispute is open. The other readers are notified (\`order.message\`). A message changes nothing of the order, and cannot be changed. An account can write ${messageLimits.ofOrderAMinute} messages a minute on one order, and ${messageLimits.unanswered} without an answer, or ${messageLimits.unansweredUnpaid} before the order is paid.`,
      ...accessRule(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(messageRequest) },
      responses: {
        201: jsonResponse("The message", messageSchema),
        ...errorResponses(
          "account_banned",
          "invalid_state",
          "rate_limited",
          "file_not_found",
          "file_mismatch",
        ),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id: orderId } = c.req.valid("param");
      const effect = c.get("effect");
      const id = effect ? `msg_${effect.id}` : typeid("msg").toString();
      const { text, files = [] } = c.req.valid("json");
      const message = { id, text, files };
      const written = await inTransaction(db, (tx) => writeMessage(tx, caller, orderId, message));
      return c.json(presentMessage(written, caller), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: `${path}/{message_id}/withdraw`,
      operationId: "withdrawMessage",
      tags: ["messages"],
      summary: "Withdraw your message for ever",
      description:
        "Its text and files are removed, and a mark stays in the list. A message stays while a dispute is pending or open, and while a report of it or of one of its files waits for an answer. Withdrawing it twice is no error.",
      ...accessRule(context, "orders:write"),
      request: { params: messageParams },
      responses: {
        200: jsonResponse("The withdrawn message", messageSchema),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id, message_id } = c.req.valid("param");
      const left = await inTransaction(db, (tx) => withdrawMessage(tx, caller, id, message_id));
      return c.json(presentMessage(left, caller), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: `${path}/read`,
      operationId: "markMessagesRead",
      tags: ["messages"],
      summary: "Mark the messages of an order as read",
      description: "The read state is that of your account on this order: all its members share it.",
      ...accessRule(context, "orders:read"),
      request: { params: orderParams, body: jsonBody(readRequest) },
      responses: {
        200: jsonResponse(
          "The rest",
          z.object({ unread_messages: z.int() }).openapi("UnreadMessagesOfOrder"),
        ),
      },
    }),
    async (c) => {
      const { up_to } = c.req.valid("json");
      const { id } = c.req.valid("param");
      const unread = await inTransaction(db, (tx) => markMessagesRead(tx, callerOf(c), id, up_to));
      return c.json({ unread_messages: unread }, 200);
    },
  );
}
