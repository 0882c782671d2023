import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Webhook as Endpoint } from "earnest-client";
import { Plus, Webhook } from "lucide-react";
import { useMemo, useState } from "react";
import { Button } from "../parts/button.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Page } from "../parts/page.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { NewEndpointDialog } from "./new-endpoint.tsx";
import { webhooksQuery } from "./webhook-queries.ts";
import { statusOf } from "./webhook-words.ts";

/** The webhook endpoints of the account. */
export function WebhooksPage() {
  const client = useClient();
  const endpoints = useInfiniteQuery(webhooksQuery(client));
  const [isAdding, setAdding] = useState(false);
  const columns = useMemo(readColumns, []);
  const isEmpty = endpoints.data?.pages[0]?.items.length === 0;
  const add = (
    <Button variant="primary" icon={Plus} onPress={() => setAdding(true)}>
      {i18n.t("Add endpoint")}
    </Button>
  );
  return (
    <Page
      title={i18n.t("Webhooks")}
      intro={i18n.t(
        "Earnest sends each event to your URL, signed with a secret. Failed deliveries are retried for 5 days.",
      )}
      actions={!isEmpty && add}
    >
      <DataTable
        label={i18n.t("Endpoints")}
        query={endpoints}
        columns={columns}
        counted={(total) => i18n.t("{total, plural, one {# endpoint} other {# endpoints}}", { total })}
        empty={
          <EmptyState icon={Webhook} title={i18n.t("No endpoints yet")} action={add}>
            {i18n.t("Add the URL of your program to receive events of your orders.")}
          </EmptyState>
        }
      />
      {isAdding && <NewEndpointDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

const readColumns = (): Column<Endpoint>[] => [
  {
    id: "endpoint",
    header: i18n.t("Endpoint"),
    width: "minmax(0, 2fr)",
    cell: ({ id, url, description }) => (
      <span className="two-lines">
        <Link to="/webhooks/$webhookId" params={{ webhookId: id }} className="row-link">
          <UserText>{url}</UserText>
        </Link>
        {description && (
          <span className="quiet">
            <UserText>{description}</UserText>
          </span>
        )}
      </span>
    ),
  },
  {
    id: "status",
    header: i18n.t("Status"),
    width: "minmax(0, 0.7fr)",
    cell: (endpoint) => {
      const [text, tone] = statusOf(endpoint);
      return <Chip tone={tone}>{text}</Chip>;
    },
  },
  {
    id: "events",
    header: i18n.t("Events"),
    cell: ({ events }) => (
      <span className="cut-line" title={events.join(", ")}>
        {events.includes("*") ? i18n.t("All events") : events.join(", ")}
      </span>
    ),
  },
  {
    id: "created",
    header: i18n.t("Created"),
    align: "end",
    isHiddenOnPhone: true,
    cell: ({ created_at }) => <Time at={created_at} isRelative />,
  },
];
