import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { statusText } from "../orders/order-words.ts";
import { LongList } from "../parts/long-list.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { disputeListQuery, type Part } from "./dispute-queries.ts";

const parts: Record<Part, string> = {
  arbiter: "To decide",
  buyer: "Purchases",
  provider: "Sales",
};

/** The disputes that the account decides, or is a party of. */
export function DisputesPage() {
  const client = useClient();
  const navigate = useNavigate();
  const search = useSearch({ from: "/disputes" });
  const part: Part = search.part === "buyer" || search.part === "provider" ? search.part : "arbiter";
  const isOpen = part !== "arbiter" || search.ended !== "yes";
  const disputes = useInfiniteQuery(disputeListQuery(client, part, isOpen));
  const change = (next: { part?: string; ended?: string }) =>
    void navigate({ to: "/disputes", search: { ...search, ...next }, replace: true });
  return (
    <Page title="Disputes">
      <div className="filters">
        <div>
          <label htmlFor="part">Show</label>
          <select id="part" value={part} onChange={({ target }) => change({ part: target.value })}>
            {Object.entries(parts).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </div>
        {part === "arbiter" && (
          <div>
            <label htmlFor="ended">Status</label>
            <select
              id="ended"
              value={isOpen ? "" : "yes"}
              onChange={({ target }) => change({ ended: target.value || undefined })}
            >
              <option value="">Open</option>
              <option value="yes">Paid out</option>
            </select>
          </div>
        )}
      </div>
      <LongList
        label="Disputes"
        query={disputes}
        counted={(total) => `${total} ${total === 1 ? "dispute" : "disputes"}`}
      >
        {(order) => (
          <>
            <Link to="/orders/$orderId/dispute" params={{ orderId: order.id }}>
              {order.reference}
            </Link>
            <span>{order.escrow.status === "decided" ? "Decided" : statusText(order.status)}</span>
            <Money amount={order.total_amount} currency={order.currency} />
            {order.disputed_at && <Time at={order.disputed_at} />}
          </>
        )}
      </LongList>
    </Page>
  );
}
