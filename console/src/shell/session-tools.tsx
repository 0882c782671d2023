import { useEffect } from "react";
import { NotificationBell } from "../notifications/bell.tsx";
import type { TabSession } from "../session/session.ts";
import { watchWallet } from "../session/sign-out.ts";
import { walletConfig } from "../wallet/wallet-config.ts";
import { AccountMenu } from "./account-menu.tsx";

/** The tools of the top bar for a signed-in user. */
export function SessionTools({ session }: { session: TabSession }) {
  useEffect(() => watchWallet(walletConfig), []);
  return (
    <>
      <NotificationBell />
      <AccountMenu session={session} />
    </>
  );
}
