import { Link } from "@tanstack/react-router";
import type { Notification } from "earnest-client";
import { eventOf, eventPath, eventSubject, eventText } from "../feed/event-text.tsx";
import { Time } from "../parts/time.tsx";
import { i18n } from "../text/i18n.ts";
import { useMarkRead } from "./notification-queries.ts";

/** A notification. A press opens the page of its subject and marks it as read. */
export function NotificationRow({ of: notification, onOpen }: { of: Notification; onOpen?: () => void }) {
  const { mutate } = useMarkRead();
  const event = eventOf(notification);
  const subject = eventSubject(event);
  return (
    <div className="notification" data-unread={!notification.read}>
      <span className="unread-dot">
        {!notification.read && <span className="hidden-text">{i18n.t("Unread")}</span>}
      </span>
      <span>
        <Link
          to={eventPath(event)}
          className="row-link"
          onClick={() => {
            if (!notification.read) mutate({ ids: [notification.id] });
            onOpen?.();
          }}
        >
          {eventText(event)}
        </Link>
        <span className="quiet">
          {subject && `${subject} · `}
          <Time at={notification.created_at} isRelative />
        </span>
      </span>
    </div>
  );
}
