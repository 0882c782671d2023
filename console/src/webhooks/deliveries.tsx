import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { eventTypes } from "../../../protocol/settlement/vocabulary.ts";
import { LongList } from "../parts/long-list.tsx";
import { polledList } from "../parts/paging.ts";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { type DeliverySearch, deliveriesQuery } from "./webhook-queries.ts";
import { deliveryWords, outcomeOf } from "./webhook-words.ts";

/** The deliveries of an endpoint, newest first. The filters are in the URL. */
export function Deliveries({ id }: { id: string }) {
  const client = useClient();
  const search = useSearch({ from: "/webhooks/$webhookId" });
  const navigate = useNavigate();
  const deliveries = useInfiniteQuery({
    ...deliveriesQuery(client, id, search),
    ...polledList,
  });
  const change = (changed: DeliverySearch) =>
    void navigate({
      to: "/webhooks/$webhookId",
      params: { webhookId: id },
      search: Object.fromEntries(Object.entries({ ...search, ...changed }).filter(([, value]) => value)),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <div className="filters">
        <div>
          <label htmlFor="status">Status</label>
          <select
            id="status"
            value={search.status ?? ""}
            onChange={({ target }) => change({ status: target.value })}
          >
            <option value="">Any</option>
            {Object.entries(deliveryWords).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label htmlFor="type">Type</label>
          <select
            id="type"
            value={search.type ?? ""}
            onChange={({ target }) => change({ type: target.value })}
          >
            <option value="">Any</option>
            {Object.keys(eventTypes).map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </div>
        {(["since", "until"] as const).map((name) => (
          <div key={name}>
            <label htmlFor={name}>{name === "since" ? "From" : "Before"}</label>
            <input
              id={name}
              type="datetime-local"
              value={search[name] ?? ""}
              onChange={({ target }) => change({ [name]: target.value })}
            />
          </div>
        ))}
      </div>
      <LongList
        label="Deliveries"
        query={deliveries}
        counted={(total) => `${total} ${total === 1 ? "delivery" : "deliveries"}`}
      >
        {(delivery) => (
          <>
            <Link
              to="/webhooks/$webhookId/$deliveryId"
              params={{ webhookId: id, deliveryId: delivery.id }}
              aria-label={`${delivery.type}, ${deliveryWords[delivery.status]}`}
            >
              {delivery.type}
            </Link>
            <span>{deliveryWords[delivery.status]}</span>
            <span>{outcomeOf(delivery)}</span>
            <Time at={delivery.created_at} />
          </>
        )}
      </LongList>
    </>
  );
}
