import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Bell, CheckCheck } from "lucide-react";
import { Button } from "../parts/button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Switch } from "../parts/switch.tsx";
import { announce } from "../parts/toasts.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { notificationListQuery, unreadText, useMarkRead } from "./notification-queries.ts";
import { NotificationRow } from "./notification-row.tsx";

/** The notifications of the last 30 days, newest first. */
export function NotificationsPage() {
  const client = useClient();
  const navigate = useNavigate();
  const isUnread = useSearch({ from: "/notifications" }).show === "unread";
  const list = useInfiniteQuery(notificationListQuery(client, isUnread));
  const reading = useMarkRead();
  const newest = list.data?.pages[0]?.items[0];
  const markAll = () => {
    if (!newest) return;
    reading.mutate(
      { up_to: newest.id },
      { onSuccess: () => announce(i18n.t("All notifications are marked as read.")) },
    );
  };
  return (
    <Page
      title={i18n.t("Notifications")}
      intro={i18n.t("What other parties, the chain and Earnest did in the last 30 days.")}
      actions={
        <>
          <Link to="/settings/notifications" className="button">
            {i18n.t("Email settings")}
          </Link>
          <Button icon={CheckCheck} isPending={reading.isPending} isDisabled={!newest} onPress={markAll}>
            {i18n.t("Mark all as read")}
          </Button>
        </>
      }
    >
      {reading.error && <ProblemNote error={reading.error} />}
      <p>
        <Switch
          isOn={isUnread}
          onChange={(isOn) =>
            void navigate({
              to: "/notifications",
              search: isOn ? { show: "unread" } : {},
              replace: true,
            })
          }
        >
          {i18n.t("Unread only")}
        </Switch>
      </p>
      <LongList
        label={i18n.t("Notifications")}
        query={list}
        rowHeight={64}
        counted={(_, body) => i18n.t("{count} unread", { count: unreadText(body) })}
        empty={
          <EmptyState
            icon={Bell}
            title={isUnread ? i18n.t("Nothing unread") : i18n.t("No notifications yet")}
          >
            {i18n.t("Payments, deliveries, disputes, quotes and reviews appear here.")}
          </EmptyState>
        }
      >
        {(notification) => <NotificationRow of={notification} />}
      </LongList>
    </Page>
  );
}
