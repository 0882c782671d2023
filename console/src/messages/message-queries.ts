import { queryOptions } from "@tanstack/react-query";
import type { Earnest } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** The messages of an order, newest first. The event feed refreshes the key with the order. */
export const messagesQuery = (client: Earnest, orderId: string) =>
  pagedQuery(["order", orderId, "messages"], (page) => client.orders.messages.list(orderId, page));

/** The unread messages of all orders, by the account's role. The event feed refreshes the key with the lists of orders. */
export const unreadMessagesQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["orders", "unread-messages"],
    queryFn: () => client.orders.messages.countUnread(),
  });
