import type { Config } from "wagmi";
import { watchConnection } from "wagmi/actions";
import { clientOf } from "./client.ts";
import { currentSession, endSession } from "./session.ts";

/** Ends the session in this tab and revokes its token at the service. */
export function signOut(why: string | null): void {
  const session = currentSession();
  if (!session) return;
  const client = clientOf(session);
  endSession(why);
  // If the request fails, the token expires by itself; this tab has forgotten it.
  client.signOut().catch(() => {});
}

/** Ends the session when the wallet changes its account or disconnects. */
export function endWithWallet(config: Config): () => void {
  return watchConnection(config, {
    onChange({ status, address }, before) {
      const session = currentSession();
      if (!session) return;
      if (status === "connected" && address.toLowerCase() !== session.address.toLowerCase()) {
        signOut(
          "Your wallet switched accounts, so you were signed out. Sign in with the account you want to use.",
        );
      } else if (status === "disconnected" && before.status === "connected") {
        signOut("Your wallet was disconnected, so you were signed out.");
      }
    },
  });
}
