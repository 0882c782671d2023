import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Session } from "earnest-client";
import { MonitorSmartphone } from "lucide-react";
import { useMemo } from "react";
import { shortAddress } from "../parts/address.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Page } from "../parts/page.tsx";
import { pagedQuery } from "../parts/paging.ts";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.ts";
import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";
import { asPerson } from "./as-person.ts";
import { useClient } from "./client.ts";

/** The browsers and programs that are signed in, each with a button that ends its session. */
export function SessionsPage() {
  const client = useClient();
  const queries = useQueryClient();
  const sessions = useInfiniteQuery(pagedQuery(["sessions"], (page) => client.sessions.list(page, asPerson)));
  const columns = useMemo(readColumns, []);
  const others = (sessions.data?.pages[0]?.items.length ?? 0) > 1;
  const ending = useMutation({
    mutationFn: async () => await client.sessions.endOthers(asPerson),
    onSuccess: () => announce(i18n.t("All other sessions ended.")),
    onSettled: () => queries.invalidateQueries({ queryKey: ["sessions"] }),
  });
  return (
    <Page
      title={i18n.t("Sessions")}
      intro={i18n.t(
        "Browsers and programs that are signed in to your account. A browser is signed out after 14 days without use, and after 30 days at the latest.",
      )}
      actions={
        others && (
          <ConfirmButton
            label={i18n.t("Sign out all others")}
            confirmLabel={i18n.t("Sign out all other browsers and programs")}
            of=""
            isPending={ending.isPending}
            error={ending.error}
            onPress={() => ending.mutate()}
          />
        )
      }
    >
      <DataTable
        label={i18n.t("Sessions")}
        query={sessions}
        columns={columns}
        rowHeight={64}
        counted={(total) => i18n.t("{total, plural, one {# session} other {# sessions}}", { total })}
        empty={<EmptyState icon={MonitorSmartphone} title={i18n.t("No sessions")} />}
      />
    </Page>
  );
}

const nameOf = ({ device, holder }: Session): string =>
  device ?? (holder === "program" ? i18n.t("Program") : i18n.t("Unknown browser"));

const readColumns = (): Column<Session>[] => [
  {
    id: "device",
    header: i18n.t("Device"),
    width: "minmax(0, 1.6fr)",
    cell: (session) => (
      <span className="two-lines">
        <span>
          <strong>{nameOf(session)}</strong>{" "}
          {session.is_current && <Chip tone="good">{i18n.t("This browser")}</Chip>}
        </span>
        <span className="quiet">
          {session.device === null && session.user_agent !== null ? (
            <UserText>{session.user_agent}</UserText>
          ) : (
            session.network
          )}
        </span>
      </span>
    ),
  },
  {
    id: "wallet",
    header: i18n.t("Wallet"),
    isHiddenOnPhone: true,
    cell: ({ address }) => address && <code title={address}>{shortAddress(address)}</code>,
  },
  {
    id: "created",
    header: i18n.t("Signed in"),
    isHiddenOnPhone: true,
    cell: ({ created_at }) => <Time at={created_at} isRelative />,
  },
  {
    id: "used",
    header: i18n.t("Last used"),
    align: "end",
    cell: ({ last_used_at }) => <Time at={last_used_at} isRelative />,
  },
  {
    id: "end",
    header: i18n.t("Actions"),
    width: "minmax(0, 1fr)",
    align: "end",
    cell: (session) => !session.is_current && <End session={session} />,
  },
];

function End({ session }: { session: Session }) {
  const client = useClient();
  const queries = useQueryClient();
  const name = nameOf(session);
  const ending = useMutation({
    mutationFn: async () => await client.sessions.end(session.id, asPerson),
    onSettled: () => queries.invalidateQueries({ queryKey: ["sessions"] }),
  });
  return (
    <ConfirmButton
      label={i18n.t("Sign out")}
      confirmLabel={i18n.t("Sign out {name}", { name })}
      of={name}
      isPending={ending.isPending}
      error={ending.error}
      onPress={() => ending.mutate()}
    />
  );
}
