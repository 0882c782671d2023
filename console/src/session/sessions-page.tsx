import { i18n } from "@lingui/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Session } from "earnest-client";
import { shortAddress } from "../parts/address.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Page } from "../parts/page.tsx";
import { pagedQuery } from "../parts/paging.ts";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "./client.ts";

/** Sessions belong to the person, whichever organisation the tab acts for. */
const own = { organisation: null } as const;

/** The browsers and programs that are signed in, each with a button that ends its session. */
export function SessionsPage() {
  const client = useClient();
  const queries = useQueryClient();
  const sessions = useInfiniteQuery(pagedQuery(["sessions"], (page) => client.sessions.list(page, own)));
  const ending = useMutation({
    mutationFn: async () => await client.sessions.endOthers(own),
    onSettled: () => queries.invalidateQueries({ queryKey: ["sessions"] }),
  });
  return (
    <Page title={i18n.t("Sessions")}>
      <p>
        {i18n.t(
          "Browsers and programs that are signed in to your account. A browser is signed out after 14 days without use, and after 30 days at the latest.",
        )}
      </p>
      <ConfirmButton
        label={i18n.t("Sign out all others")}
        confirmLabel={i18n.t("Sign out all other browsers and programs")}
        of=""
        isPending={ending.isPending}
        error={ending.error}
        onPress={() => ending.mutate()}
      />
      <LongList
        label={i18n.t("Sessions")}
        query={sessions}
        rowHeight={88}
        counted={(total) =>
          i18n.t("{total, plural, one {# session} other {# sessions}}", { total: Number(total) })
        }
      >
        {(session) => <SessionRow session={session} />}
      </LongList>
    </Page>
  );
}

function SessionRow({ session }: { session: Session }) {
  const client = useClient();
  const queries = useQueryClient();
  const ending = useMutation({
    mutationFn: async () => await client.sessions.end(session.id, own),
    onSettled: () => queries.invalidateQueries({ queryKey: ["sessions"] }),
  });
  const name =
    session.device ?? (session.holder === "program" ? i18n.t("Program") : i18n.t("Unknown browser"));
  return (
    <>
      <div className="wide">
        <strong>{name}</strong>{" "}
        {session.is_current && <span className="status">{i18n.t("This browser")}</span>}
        {session.device === null && session.user_agent !== null && <UserText>{session.user_agent}</UserText>}
        <p className="quiet">
          {[session.address && shortAddress(session.address), session.network].filter(Boolean).join(" · ")}
          {" · "}
          {i18n.t("Signed in")} <Time at={session.created_at} isRelative />
          {" · "}
          {i18n.t("Last used")} <Time at={session.last_used_at} isRelative />
        </p>
      </div>
      {!session.is_current && (
        <ConfirmButton
          label={i18n.t("Sign out")}
          confirmLabel={i18n.t("Sign out {name}", { name })}
          of={name}
          isPending={ending.isPending}
          error={ending.error}
          onPress={() => ending.mutate()}
        />
      )}
    </>
  );
}
