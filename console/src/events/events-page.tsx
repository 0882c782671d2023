import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { EventType, FeedEvent } from "earnest-client";
import { Activity, Webhook } from "lucide-react";
import { useMemo } from "react";
import { eventTypes } from "../../../protocol/settlement/vocabulary.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Page } from "../parts/page.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { eventsQuery } from "./event-queries.ts";

/** The account's events of 30 days, newest first, each with its payload. New events appear as they happen. */
export function EventsPage() {
  const client = useClient();
  const navigate = useNavigate();
  const search = useSearch({ from: "/events" });
  const type = search.type as EventType | undefined;
  const events = useInfiniteQuery(eventsQuery(client, type));
  const columns = useMemo(() => readColumns(type), [type]);
  const change = (next: { type?: string }) =>
    void navigate({ to: "/events", search: next, replace: true, resetScroll: false });
  const chosen = events.data?.pages.flatMap(({ items }) => items).find(({ id }) => id === search.event);
  return (
    <Page
      title={i18n.t("Events")}
      intro={i18n.t("What your programs get by webhook or by the event feed. Events are kept for 30 days.")}
      actions={
        <Link to="/webhooks" className="button">
          <Webhook size={16} aria-hidden />
          {i18n.t("Webhooks")}
        </Link>
      }
    >
      <div className="filters">
        <ChoiceField
          label={i18n.t("Type")}
          value={type ?? ""}
          onChange={(next) => change(next ? { type: next } : {})}
          choices={[
            ["", i18n.t("All types")] as const,
            ...Object.keys(eventTypes).map((name) => [name, name] as const),
          ]}
        />
      </div>
      <DataTable
        label={i18n.t("Events")}
        query={events}
        columns={columns}
        rowHeight={48}
        counted={(total) => i18n.t("{total, plural, one {# event} other {# events}}", { total })}
        empty={
          <EmptyState
            icon={Activity}
            title={type ? i18n.t("No events match") : i18n.t("No events yet")}
            action={
              type ? (
                <Button onPress={() => change({})}>{i18n.t("Clear filters")}</Button>
              ) : (
                <Link to="/developers" className="button primary">
                  {i18n.t("Place a first order")}
                </Link>
              )
            }
          >
            {type ? null : i18n.t("Each step of your orders makes an event.")}
          </EmptyState>
        }
      />
      {chosen && <EventDialog event={chosen} onClose={() => change(type ? { type } : {})} />}
    </Page>
  );
}

const readColumns = (type: string | undefined): Column<FeedEvent>[] => [
  {
    id: "type",
    header: i18n.t("Event"),
    cell: (event) => (
      <Link
        to="/events"
        search={{ ...(type ? { type } : {}), event: event.id }}
        className="row-link"
        resetScroll={false}
      >
        <code>{event.type}</code>
      </Link>
    ),
  },
  {
    id: "subject",
    header: i18n.t("Subject"),
    cell: (event) => <Subject event={event} />,
  },
  {
    id: "created",
    header: i18n.t("Created"),
    align: "end",
    cell: ({ created_at }) => <Time at={created_at} isRelative />,
  },
];

/** The subject of an event: its order, or the id of another subject. */
function Subject({ event: { data } }: { event: FeedEvent }) {
  if ("order" in data) {
    return (
      <Link to="/orders/$orderId" params={{ orderId: data.order.id }}>
        {data.order.reference}
      </Link>
    );
  }
  const [id] = Object.entries(data).find(([name]) => name.endsWith("_id")) ?? [];
  const text = id === undefined ? "–" : String((data as unknown as Record<string, unknown>)[id]);
  return (
    <span className="two-lines quiet">
      <code>{text}</code>
    </span>
  );
}

function EventDialog({ event, onClose }: { event: FeedEvent; onClose: () => void }) {
  const payload = JSON.stringify(event, null, 2);
  return (
    <FormDialog title={event.type} onClose={onClose}>
      <p className="quiet">
        <Time at={event.created_at} />
      </p>
      <div className="example">
        <CopyButton text={payload} what={i18n.t("payload")} />
        <Raw>{payload}</Raw>
      </div>
      <div className="dialog-end">
        <div className="buttons">
          <Button onPress={onClose}>{i18n.t("Close")}</Button>
        </div>
      </div>
    </FormDialog>
  );
}
