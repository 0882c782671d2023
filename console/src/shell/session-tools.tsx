import { NotificationBell } from "../notifications/bell.tsx";
import type { Session } from "../session/session.ts";
import { AccountMenu } from "./account-menu.tsx";

/** The tools of the top bar for a signed-in user. */
export function SessionTools({ session }: { session: Session }) {
  return (
    <>
      <NotificationBell />
      <AccountMenu session={session} />
    </>
  );
}
