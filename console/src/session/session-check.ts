import { i18n } from "../text/i18n.ts";
import { sessionClient } from "./client.ts";
import { currentSession, endSession, refreshSession } from "./session.ts";

/** Asks the service whether the browser's cookie is a valid session, and follows the answer. */
export async function checkSession(): Promise<void> {
  const { current } = await sessionClient.sessions.getCurrent();
  if (current) return refreshSession(current);
  if (!currentSession()) return;
  const why = i18n.t("Your session has ended. Please sign in again.");
  endSession(why, why);
}

/** The check at the start of the page. Without an answer, the stored session stays. */
export const sessionReady: Promise<void> = checkSession().catch(() => {});
