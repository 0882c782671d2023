import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Bell } from "lucide-react";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import { DialogTrigger } from "react-aria-components/Dialog";
import { Popover } from "react-aria-components/Popover";
import { Button } from "../parts/button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { newestQuery, unreadText, useMarkRead } from "./notification-queries.ts";
import { NotificationRow } from "./notification-row.tsx";

/** The bell of the top bar: the number of unread notifications, and the newest ones in a popover. */
export function NotificationBell() {
  const [isOpen, setOpen] = useState(false);
  const newest = useQuery(newestQuery(useClient()));
  const reading = useMarkRead();
  const unread = newest.data?.unread ?? 0;
  const count = newest.data ? unreadText(newest.data) : "0";
  const [first] = newest.data?.items ?? [];
  const close = () => setOpen(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <AriaButton
        className="bare icon bell"
        aria-label={unread > 0 ? i18n.t("Notifications, {count} unread", { count }) : i18n.t("Notifications")}
      >
        <Bell size={16} aria-hidden />
        {unread > 0 && (
          <span className="badge" aria-hidden>
            {count}
          </span>
        )}
      </AriaButton>
      {/* Without a `Dialog` in it, the popover is the dialog, with its hidden buttons to dismiss it. */}
      <Popover className="popover notifications" placement="bottom end" aria-label={i18n.t("Notifications")}>
        <div className="card-head">
          <h2>{i18n.t("Notifications")}</h2>
          <Button
            variant="bare"
            size="small"
            isPending={reading.isPending}
            isDisabled={unread === 0}
            onPress={() => first && reading.mutate({ up_to: first.id })}
          >
            {i18n.t("Mark all as read")}
          </Button>
        </div>
        {reading.error && <ProblemNote error={reading.error} />}
        <Loaded query={newest}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="quiet">{i18n.t("No notifications yet.")}</p>
            ) : (
              <ul>
                {items.map((notification) => (
                  <li key={notification.id}>
                    <NotificationRow of={notification} onOpen={close} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
        <Link to="/notifications" className="button wide" onClick={close}>
          {i18n.t("View all")}
        </Link>
      </Popover>
    </DialogTrigger>
  );
}
