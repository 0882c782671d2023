import { i18n } from "../text/i18n.ts";

/** The number of unread messages beside a name; nothing without any. */
export function UnreadBadge({ count, most = 99 }: { count: number; most?: number }) {
  if (count === 0) return null;
  const shown = count >= most ? `${most}+` : String(count);
  return (
    <span className="unread">
      <span aria-hidden>{shown}</span>
      <span className="hidden-text">{i18n.t("{count} unread messages", { count: shown })}</span>
    </span>
  );
}
