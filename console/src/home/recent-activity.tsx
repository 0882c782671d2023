import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { newestQuery } from "../notifications/notification-queries.ts";
import { NotificationRow } from "../notifications/notification-row.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";

/** The notifications that stand beside the chart. */
const mostShown = 5;

/** The newest notifications of the account. */
export function RecentActivity() {
  const newest = useQuery(newestQuery(useClient()));
  return (
    <section className="card notifications" aria-labelledby="activity">
      <div className="card-head">
        <h2 id="activity">{i18n.t("Recent activity")}</h2>
        <Link to="/notifications">{i18n.t("View all")}</Link>
      </div>
      <Loaded query={newest}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="quiet">
              {i18n.t("Payments, deliveries, disputes, quotes and reviews appear here.")}
            </p>
          ) : (
            <ul>
              {items.slice(0, mostShown).map((notification) => (
                <li key={notification.id}>
                  <NotificationRow of={notification} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
