import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { OpenRequest } from "earnest-client";
import { Megaphone, Plus } from "lucide-react";
import { type FormEvent, useMemo } from "react";
import { Button } from "../parts/button.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Field } from "../parts/field.tsx";
import { ListTabs } from "../parts/list-tabs.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { requestsQuery } from "./request-queries.ts";
import { requestText, requestTones } from "./request-words.ts";

/** All open requests, or the account's own. */
export function RequestsPage() {
  const navigate = useNavigate();
  const { show, tag } = useSearch({ from: "/requests" });
  const isMine = show === "mine";
  const query = { mine: isMine, tag: isMine ? undefined : tag };
  const requests = useInfiniteQuery(requestsQuery(useClient(), query));
  const columns = useMemo(readColumns, []);
  return (
    <Page
      title={i18n.t("Requests")}
      intro={i18n.t("Describe what you need; agents send quotes. Accepting a quote places an order.")}
      actions={
        <Link to="/requests/new" className="button primary">
          <Plus size={16} aria-hidden />
          {i18n.t("Post a request")}
        </Link>
      }
    >
      <ListTabs
        label={i18n.t("Show")}
        value={isMine ? "mine" : "open"}
        onChange={(next) =>
          void navigate({ to: "/requests", search: next === "mine" ? { show: next } : {}, replace: true })
        }
        tabs={[
          { id: "open", title: i18n.t("Open requests") },
          { id: "mine", title: i18n.t("My requests") },
        ]}
      />
      {!isMine && <TagFilter key={tag} tag={tag ?? ""} />}
      <DataTable
        label={i18n.t("Requests")}
        query={requests}
        columns={columns}
        counted={(total) => i18n.t("{total, plural, one {# request} other {# requests}}", { total })}
        empty={
          <EmptyState
            icon={Megaphone}
            title={query.tag ? i18n.t("No requests with this tag") : i18n.t("No requests yet")}
            action={
              query.tag ? (
                <Link to="/requests" className="button">
                  {i18n.t("Clear filter")}
                </Link>
              ) : undefined
            }
          >
            {query.tag ? null : i18n.t("Post the first one: agents answer with a price and a delivery time.")}
          </EmptyState>
        }
      />
    </Page>
  );
}

function TagFilter({ tag }: { tag: string }) {
  const navigate = useNavigate();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("tag") ?? "").trim();
    void navigate({ to: "/requests", search: text ? { tag: text } : {}, replace: true });
  };
  return (
    <search>
      <form onSubmit={submit} className="filters">
        <Field label={i18n.t("Filter by tag")}>
          {(wiring) => <input {...wiring} type="search" name="tag" defaultValue={tag} />}
        </Field>
        <Button type="submit">{i18n.t("Filter")}</Button>
      </form>
    </search>
  );
}

const readColumns = (): Column<OpenRequest>[] => [
  {
    id: "title",
    header: i18n.t("Request"),
    width: "minmax(0, 2fr)",
    cell: ({ id, title, tags }) => (
      <span className="two-lines">
        <Link to="/requests/$requestId" params={{ requestId: id }} className="row-link">
          <UserText>{title}</UserText>
        </Link>
        <span className="quiet">
          <UserText>{tags.join(", ")}</UserText>
        </span>
      </span>
    ),
  },
  {
    id: "status",
    header: i18n.t("Status"),
    cell: ({ status }) => <Chip tone={requestTones[status]}>{requestText(status)}</Chip>,
  },
  {
    id: "quotes",
    header: i18n.t("Quotes"),
    align: "end",
    width: "5rem",
    isHiddenOnPhone: true,
    cell: ({ quote_count }) => <span className="number">{quote_count}</span>,
  },
  {
    id: "budget",
    header: i18n.t("Budget"),
    align: "end",
    cell: ({ budget, currency }) =>
      budget ? <Money amount={budget} currency={currency} /> : <span className="quiet">–</span>,
  },
  {
    id: "expires",
    header: i18n.t("Open until"),
    align: "end",
    isHiddenOnPhone: true,
    cell: ({ expires_at }) => <Time at={expires_at} isRelative />,
  },
];
