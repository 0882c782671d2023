import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Earnest, NotificationsToRead } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";
import { useClient } from "../session/client.ts";

/** The most notifications of the bell and the overview. */
const mostShown = 8;

/** The newest notifications, with the number of the unread. The event feed refreshes the key. */
export const newestQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["notifications", "newest"],
    queryFn: async () => (await client.notifications.list({ limit: mostShown })).body,
  });

/** The notifications page by page. The service does not count them: more than a page's rows is all that is known. */
export const notificationListQuery = (client: Earnest, isUnread: boolean) =>
  pagedQuery(["notifications", "list", isUnread], async (page) => {
    const { items, body, nextCursor } = await client.notifications.list({ ...page, unread: isUnread });
    const relation = nextCursor === null ? ("eq" as const) : ("gte" as const);
    return { items, body: { ...body, total: 0, total_relation: relation }, nextCursor };
  });

/** Marks notifications as read, in all their lists. */
export function useMarkRead() {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (which: NotificationsToRead) => client.notifications.markRead(which),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["notifications"] }),
  });
}

/** Formats the number of unread notifications, such as `3` or `99+`. */
export const unreadText = ({
  unread,
  unread_relation: relation,
}: {
  unread: number;
  unread_relation: string;
}) => `${unread}${relation === "gte" ? "+" : ""}`;
