import { ApiError } from "earnest-client";
import type { Config } from "wagmi";
import { watchConnection } from "wagmi/actions";
import { shortAddress } from "../parts/address.tsx";
import { announce } from "../parts/toasts.ts";
import { i18n } from "../text/i18n.ts";
import { sessionClient } from "./client.ts";
import { currentSession, endSession } from "./session.ts";

/** Ends the session at the service, and then in all tabs. Only the service can remove the cookie. */
export async function signOut(): Promise<void> {
  if (!currentSession()) return;
  try {
    await sessionClient.signOut();
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "unauthenticated")) {
      announce(i18n.t("You are still signed in, because Earnest can't be reached. Try again."));
      return;
    }
  }
  endSession(null, i18n.t("You signed out in another tab."));
}

/** Says when the wallet changes its account. The session stays, and signing asks for the wallet that signed in. */
export function watchWallet(config: Config): () => void {
  return watchConnection(config, {
    onChange({ status, address }, before) {
      const session = currentSession();
      if (!session || status !== "connected" || address === before.address) return;
      if (before.address === undefined || address.toLowerCase() === session.address.toLowerCase()) return;
      announce(
        i18n.t(
          "Your wallet is now on {wallet}. You are still signed in as {account}. Switch back to sign or pay.",
          {
            wallet: shortAddress(address),
            account: shortAddress(session.address),
          },
        ),
      );
    },
  });
}
