import { expectStatus, type Session } from "../api.ts";
import { type Court, createCourt } from "./court.ts";
import { ask } from "./market.ts";

export type Message = {
  id: string;
  by: string;
  is_own: boolean;
  created_at: string;
  text: string | null;
  withdrawn_at: string | null;
  hidden_at: string | null;
};

/** A court, and the acts on the messages of its orders. */
export async function createTalk() {
  const court = await createCourt();
  return { court, ...messageActs(court) };
}

/** The acts on the messages of a market's orders. */
export function messageActs(court: Court) {
  const write = (orderId: string, who: Session, text: unknown, headers: Record<string, string> = {}) =>
    ask(court, who, "POST", `/orders/${orderId}/messages`, { text }, { headers });
  const list = (orderId: string, who: Session, query = "") =>
    ask(court, who, "GET", `/orders/${orderId}/messages${query}`);
  return {
    write,
    list,
    /** Writes a message, which must be accepted. */
    send: async (orderId: string, who: Session, text: string): Promise<Message> =>
      expectStatus(201, await write(orderId, who, text)),
    withdraw: (orderId: string, who: Session, id: string) =>
      ask(court, who, "POST", `/orders/${orderId}/messages/${id}/withdraw`),
    markRead: (orderId: string, who: Session, id: string) =>
      ask(court, who, "POST", `/orders/${orderId}/messages/read`, { up_to: id }),
    /** Returns the texts of an order's messages, oldest first. */
    textsOf: async (orderId: string, who: Session): Promise<(string | null)[]> =>
      (expectStatus(200, await list(orderId, who)).items as Message[]).map(({ text }) => text).reverse(),
    /** Returns the number of an order's unread messages, as the order and the list of orders have it. */
    async unreadOf(orderId: string, who: Session): Promise<number> {
      const { unread_messages } = expectStatus(200, await ask(court, who, "GET", `/orders/${orderId}`));
      return unread_messages;
    },
    unreadInAll: async (who: Session) => expectStatus(200, await ask(court, who, "GET", "/messages/unread")),
    /** Returns the events of a person's messages on an order, oldest first. */
    async eventsOf(who: Session, orderId: string) {
      const path = "/events?order=newest&type=order.message";
      const { items } = expectStatus(200, await ask(court, who, "GET", path));
      return (items as MessageEvent[]).filter(({ data }) => data.order.id === orderId).reverse();
    },
  };
}

type MessageEvent = {
  id: string;
  type: string;
  data: {
    order: { id: string; your_role: string };
    message: { id: string; by: string; sent_at: string; notifies: boolean };
  };
};
