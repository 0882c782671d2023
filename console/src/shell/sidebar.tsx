import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { unreadMessagesQuery } from "../messages/message-queries.ts";
import { UnreadBadge } from "../messages/unread-badge.tsx";
import { operatorAccessQuery } from "../operator/operator-queries.ts";
import { useClient } from "../session/client.ts";
import icon from "../style/icon.svg";
import { i18n } from "../text/i18n.ts";
import { navigation, operatorNavigation } from "./navigation.ts";

/** The name of the service, which leads to the first page. */
export function Brand() {
  return (
    <Link to="/" className="brand">
      <img src={icon} alt="" />
      Earnest
    </Link>
  );
}

/** The pages of the account by section, with the unread messages of purchases, sales and disputes. */
export function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const client = useClient();
  const { data } = useQuery(unreadMessagesQuery(client));
  const unread: Record<string, number> = data
    ? { "/purchases": data.buyer, "/sales": data.provider, "/disputes": data.arbiter }
    : {};
  const isOperator = useQuery(operatorAccessQuery(client)).data === true;
  const sections = isOperator ? [...navigation, operatorNavigation] : navigation;
  return (
    <div className="sidebar">
      <nav aria-label={i18n.t("Pages")}>
        <Brand />
        {sections.map(({ title, items }) => (
          <div key={items[0]?.to}>
            {title && <h2>{title()}</h2>}
            <ul>
              {items.map(({ to, label, icon: Icon }) => (
                <li key={to}>
                  <Link to={to} activeOptions={{ exact: to === "/" }} onClick={onNavigate}>
                    <Icon size={16} aria-hidden />
                    {label()} <UnreadBadge count={unread[to] ?? 0} />
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </div>
  );
}
