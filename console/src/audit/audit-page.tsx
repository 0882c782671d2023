import { useInfiniteQuery } from "@tanstack/react-query";
import { LongList } from "../parts/long-list.tsx";
import { Page } from "../parts/page.tsx";
import { pagedQuery } from "../parts/paging.ts";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { actionText, dataText } from "./audit-words.ts";

/** The log of changes to credentials, wallets and members. Nobody can edit it. */
export function AuditPage() {
  const client = useClient();
  const entries = useInfiniteQuery(pagedQuery(["audit"], (page) => client.audit.list(page)));
  return (
    <Page title="Audit log">
      <p>
        Changes to sessions, keys, wallets and members, newest first. Check for anything your team didn't do.
      </p>
      <LongList
        label="Audit log"
        query={entries}
        rowHeight={88}
        counted={(total) => `${total} ${total === 1 ? "entry" : "entries"}`}
      >
        {(entry) => (
          <>
            <div className="wide">
              <strong>{actionText(entry)}</strong> {dataText(entry)}
              <p className="quiet">
                <code>{entry.target}</code> by <code>{entry.actor.account_id}</code>
                {entry.client_address && ` from ${entry.client_address}`}
              </p>
            </div>
            <Time at={entry.created_at} />
          </>
        )}
      </LongList>
    </Page>
  );
}
