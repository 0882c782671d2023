import { z } from "zod";
import { apiPath, type OrderStatus, type Role } from "../settlement/vocabulary.ts";
import { id, linksOf, test, time } from "./event-fields.ts";
import { orderDataSchema } from "./order-events.ts";
import { type SummarisedOrder, summariseOrder } from "./order-summary.ts";

const { order } = orderDataSchema.shape;

export const messageDataSchema = z.object({
  test,
  order: order.describe("a summary of the order at the time of the message"),
  message: z
    .object({
      id: id("msg"),
      by: order.shape.your_role.describe("the role of its author"),
      sent_at: time,
      notifies: z
        .boolean()
        .describe(
          "whether people are notified of it: false if they were of an earlier message that is still unread",
        ),
    })
    .meta({ id: "SentMessage", description: "a message, without its text; `links.messages` has the text" }),
  links: linksOf("MessageEventLinks", "order", "messages"),
});

/**
 * Builds the data of a message's event for a reader of the order. The data has no text: an event stays where it was
 * delivered, but a message may be withdrawn.
 */
export function messageEventData(
  of: { order: SummarisedOrder; status: OrderStatus; reader: Role },
  message: z.output<typeof messageDataSchema>["message"],
): z.output<typeof messageDataSchema> {
  const path = `${apiPath}/orders/${of.order.id}`;
  return {
    order: { ...summariseOrder(of.order, of.status), your_role: of.reader },
    message,
    links: { order: path, messages: `${path}/messages` },
  };
}
