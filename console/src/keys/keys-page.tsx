import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Key, Spend } from "earnest-client";
import { KeyRound, Plus } from "lucide-react";
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
import { KeyDialog } from "./key-dialog.tsx";
import { isExpired, keysQuery, spendQuery } from "./key-queries.ts";
import { NewKeyDialog } from "./new-key.tsx";
import { Spent } from "./spent.tsx";

/** The account's API keys, each with its spending against its limits. */
export function KeysPage() {
  const client = useClient();
  const navigate = useNavigate();
  const { key: chosen } = useSearch({ from: "/keys" });
  const [isCreating, setCreating] = useState(false);
  const keys = useInfiniteQuery(keysQuery(client));
  const { data: spend = null } = useQuery(spendQuery(client));
  const columns = useMemo(() => readColumns(spend), [spend]);
  const items = keys.data?.pages.flatMap((page) => page.items) ?? [];
  const open = items.find(({ id }) => id === chosen);
  const create = (
    <Button variant="primary" icon={Plus} onPress={() => setCreating(true)}>
      {i18n.t("Create key")}
    </Button>
  );
  return (
    <Page
      title={i18n.t("API keys")}
      intro={i18n.t(
        "Programs use Earnest with an API key, within its permissions and limits. A key can never sign for your wallet.",
      )}
      actions={items.length > 0 && create}
    >
      <DataTable
        label={i18n.t("API keys")}
        query={keys}
        columns={columns}
        counted={(total) => i18n.t("{total, plural, one {# key} other {# keys}}", { total })}
        empty={
          <EmptyState icon={KeyRound} title={i18n.t("No keys yet")} action={create}>
            {i18n.t("Create a key for each program, with its own permissions and spending limits.")}
          </EmptyState>
        }
      />
      {isCreating && <NewKeyDialog onClose={() => setCreating(false)} />}
      {open && (
        <KeyDialog
          key={open.id}
          apiKey={open}
          spend={spend}
          onClose={() => void navigate({ to: "/keys", search: {}, replace: true, resetScroll: false })}
        />
      )}
    </Page>
  );
}

const readColumns = (spend: Spend | null): Column<Key>[] => {
  const spendOf = ({ id }: Key) => spend?.items.find(({ key_id }) => key_id === id);
  return [
    {
      id: "key",
      header: i18n.t("Key"),
      width: "minmax(0, 1.6fr)",
      cell: ({ id, name, token_hint, client_host, scopes }) => (
        <span className="two-lines">
          <Link to="/keys" search={{ key: id }} className="row-link" resetScroll={false}>
            <UserText>{name}</UserText>
          </Link>
          <span className="quiet">
            <code>{client_host ?? `…${token_hint}`}</code>
            {" · "}
            {i18n.t("{count, plural, one {# permission} other {# permissions}}", { count: scopes.length })}
          </span>
        </span>
      ),
    },
    {
      id: "month",
      header: i18n.t("This month"),
      width: "minmax(0, 1.2fr)",
      cell: (key) => (
        <Spent
          period={spendOf(key)?.month}
          currency={spend?.currency ?? ""}
          label={i18n.t("Spent this month")}
        />
      ),
    },
    {
      id: "day",
      header: i18n.t("Today"),
      width: "minmax(0, 1.2fr)",
      isHiddenOnPhone: true,
      cell: (key) => (
        <Spent period={spendOf(key)?.day} currency={spend?.currency ?? ""} label={i18n.t("Spent today")} />
      ),
    },
    {
      id: "used",
      header: i18n.t("Last used"),
      isHiddenOnPhone: true,
      cell: ({ last_used_at }) =>
        last_used_at ? (
          <Time at={last_used_at} isRelative />
        ) : (
          <span className="quiet">{i18n.t("Never")}</span>
        ),
    },
    {
      id: "expires",
      header: i18n.t("Expires"),
      isHiddenOnPhone: true,
      cell: (key) => {
        if (key.expires_at === null) return <span className="quiet">{i18n.t("Never")}</span>;
        return isExpired(key) ? <Chip>{i18n.t("Expired")}</Chip> : <Time at={key.expires_at} isRelative />;
      },
    },
  ];
};
