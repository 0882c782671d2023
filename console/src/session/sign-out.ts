import type { Config } from "wagmi";
import { watchConnection } from "wagmi/actions";
import { clientOf } from "./client.ts";
import { currentSession, endSession } from "./session.ts";

/** Ends the session here and at the service, which forgets its token. */
export function signOut(why: string | null): void {
  const session = currentSession();
  if (!session) return;
  const client = clientOf(session);
  endSession(why);
  // Whether the service hears of it or not, this tab has no token any more.
  client.signOut().catch(() => {});
}

/** Ends the session as soon as the wallet is another one, has another account, or is gone. */
export function endWithWallet(config: Config): () => void {
  return watchConnection(config, {
    onChange({ status, address }, before) {
      const session = currentSession();
      if (!session) return;
      if (status === "connected" && address.toLowerCase() !== session.address.toLowerCase()) {
        signOut(
          "Your wallet changed to another account, so the session ended. Sign in with the account you want.",
        );
      } else if (status === "disconnected" && before.status === "connected") {
        signOut("Your wallet was disconnected, so the session ended.");
      }
    },
  });
}
