import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { WebhookDelivery } from "earnest-client";
import { RotateCw, Send } from "lucide-react";
import { useMemo } from "react";
import { eventTypes } from "../../../protocol/settlement/vocabulary.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { DateField } from "../parts/date-field.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { polledList } from "../parts/paging.ts";
import { announceProblem } from "../parts/problem-note.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { type DeliverySearch, deliveriesQuery } from "./webhook-queries.ts";
import { deliveryStatuses, deliveryText, deliveryTones, outcomeOf } from "./webhook-words.ts";

/** The deliveries of an endpoint, newest first, each with a button that sends it again. The filters are in the URL. */
export function Deliveries({ id, canResend }: { id: string; canResend: boolean }) {
  const client = useClient();
  const search = useSearch({ from: "/webhooks/$webhookId" });
  const navigate = useNavigate();
  const deliveries = useInfiniteQuery({ ...deliveriesQuery(client, id, search), ...polledList });
  const columns = useMemo(() => readColumns(id, canResend), [id, canResend]);
  const change = (changed: DeliverySearch) =>
    void navigate({
      to: "/webhooks/$webhookId",
      params: { webhookId: id },
      search: Object.fromEntries(Object.entries({ ...search, ...changed }).filter(([, value]) => value)),
      replace: true,
      resetScroll: false,
    });
  const isFiltered = Object.values(search).some(Boolean);
  return (
    <>
      <div className="filters">
        <ChoiceField
          label={i18n.t("Status")}
          value={search.status ?? ""}
          onChange={(status) => change({ status })}
          choices={[
            ["", i18n.t("Any")] as const,
            ...deliveryStatuses.map((status) => [status, deliveryText(status)] as const),
          ]}
        />
        <ChoiceField
          label={i18n.t("Event")}
          value={search.type ?? ""}
          onChange={(type) => change({ type })}
          choices={[
            ["", i18n.t("Any")] as const,
            ...Object.keys(eventTypes).map((type) => [type, type] as const),
          ]}
        />
        <DateField
          label={i18n.t("From")}
          value={search.since ?? ""}
          onChange={(since) => change({ since })}
        />
        <DateField label={i18n.t("To")} value={search.until ?? ""} onChange={(until) => change({ until })} />
      </div>
      <DataTable
        label={i18n.t("Deliveries")}
        query={deliveries}
        columns={columns}
        rowHeight={52}
        counted={(total) => i18n.t("{total, plural, one {# delivery} other {# deliveries}}", { total })}
        empty={
          <EmptyState
            icon={Send}
            title={isFiltered ? i18n.t("No deliveries match") : i18n.t("No deliveries yet")}
            action={
              isFiltered && (
                <Button onPress={() => change({ status: "", type: "", since: "", until: "" })}>
                  {i18n.t("Clear filters")}
                </Button>
              )
            }
          >
            {isFiltered ? null : i18n.t("Send a test event to see the first one.")}
          </EmptyState>
        }
      />
    </>
  );
}

const readColumns = (id: string, canResend: boolean): Column<WebhookDelivery>[] => [
  {
    id: "event",
    header: i18n.t("Event"),
    width: "minmax(0, 1.4fr)",
    cell: (delivery) => (
      <Link
        to="/webhooks/$webhookId/$deliveryId"
        params={{ webhookId: id, deliveryId: delivery.id }}
        className="row-link"
        aria-label={`${delivery.type}, ${deliveryText(delivery.status)}`}
      >
        <code>{delivery.type}</code>
      </Link>
    ),
  },
  {
    id: "status",
    header: i18n.t("Status"),
    width: "minmax(0, 0.8fr)",
    cell: ({ status }) => <Chip tone={deliveryTones[status]}>{deliveryText(status)}</Chip>,
  },
  {
    id: "result",
    header: i18n.t("Result"),
    width: "minmax(0, 1.4fr)",
    isHiddenOnPhone: true,
    cell: (delivery) => (
      <span className="cut-line quiet">
        <UserText>{outcomeOf(delivery)}</UserText>
      </span>
    ),
  },
  {
    id: "created",
    header: i18n.t("Created"),
    align: "end",
    cell: ({ created_at }) => <Time at={created_at} isRelative />,
  },
  ...(canResend
    ? [
        {
          id: "resend",
          header: i18n.t("Actions"),
          width: "64px",
          align: "end" as const,
          isHiddenOnPhone: true,
          cell: (delivery: WebhookDelivery) => <Resend id={id} delivery={delivery} />,
        },
      ]
    : []),
];

function Resend({ id, delivery }: { id: string; delivery: WebhookDelivery }) {
  const client = useClient();
  const queries = useQueryClient();
  const resending = useMutation({
    mutationFn: async () => client.webhooks.deliveries.resend(id, delivery.id),
    onSuccess: async () => {
      announce(i18n.t("Sent again."));
      await queries.invalidateQueries({ queryKey: ["webhook", id, "deliveries"] });
    },
    onError: announceProblem,
  });
  return (
    <Button
      variant="bare"
      size="small"
      icon={RotateCw}
      aria-label={i18n.t("Resend {type}", { type: delivery.type })}
      isPending={resending.isPending}
      onPress={() => resending.mutate()}
    />
  );
}
