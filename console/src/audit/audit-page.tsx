import { useInfiniteQuery } from "@tanstack/react-query";
import type { AuditEntry } from "earnest-client";
import { ScrollText } from "lucide-react";
import { useMemo } from "react";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Page } from "../parts/page.tsx";
import { pagedQuery } from "../parts/paging.ts";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";
import { actionText, dataText } from "./audit-words.ts";

/** The log of changes to credentials, wallets and members. Nobody can edit it. */
export function AuditPage() {
  const client = useClient();
  const own = useSession()?.accountId;
  const entries = useInfiniteQuery(pagedQuery(["audit"], (page) => client.audit.list(page)));
  const columns = useMemo(() => readColumns(own), [own]);
  return (
    <Page
      title={i18n.t("Audit log")}
      intro={i18n.t(
        "Changes to sessions, keys, wallets and members, newest first. Check for anything your team didn't do.",
      )}
    >
      <DataTable
        label={i18n.t("Audit log")}
        query={entries}
        columns={columns}
        counted={(total) => i18n.t("{total, plural, one {# entry} other {# entries}}", { total })}
        empty={<EmptyState icon={ScrollText} title={i18n.t("No entries yet")} />}
      />
    </Page>
  );
}

const readColumns = (own: string | undefined): Column<AuditEntry>[] => [
  {
    id: "action",
    header: i18n.t("Action"),
    width: "minmax(0, 2fr)",
    cell: (entry) => (
      <span className="action">
        <strong>{actionText(entry)}</strong>
        <span className="quiet">
          <UserText>{dataText(entry) || entry.target}</UserText>
        </span>
      </span>
    ),
  },
  {
    id: "actor",
    header: i18n.t("By"),
    isHiddenOnPhone: true,
    cell: ({ actor, client_address: address }) => (
      <span className="two-lines">
        <span>{actor.account_id === own ? i18n.t("You") : <code>{actor.account_id}</code>}</span>
        {address && <span className="quiet">{i18n.t("from {address}", { address })}</span>}
      </span>
    ),
  },
  {
    id: "target",
    header: i18n.t("Target"),
    isHiddenOnPhone: true,
    cell: ({ target }) => <code className="cut-line">{target}</code>,
  },
  {
    id: "time",
    header: i18n.t("Date"),
    align: "end",
    width: "11rem",
    cell: ({ created_at: at }) => <Time at={at} />,
  },
];
