import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addMe } from "./account.ts";
import { addKeys } from "./api-keys.ts";
import { addDeviceApproval } from "./approve-device.ts";
import { addAudit } from "./audit-list.ts";
import { addMailSettings } from "./mail-settings.ts";
import { addPasskeys } from "./passkeys.ts";
import { addBrowserSession } from "./session-browser.ts";
import { addSessions } from "./session-list.ts";
import { addAuthentication } from "./sign-in.ts";
import { addDeviceSignIn } from "./sign-in-device.ts";
import { addSpend } from "./spend.ts";
import { addWallets } from "./wallets.ts";

/** Adds the routes of sign-in, sessions, wallets, the account, mail, keys, spending and audit. */
export function addAccounts(api: App, context: Context): void {
  addAuthentication(api, context);
  addBrowserSession(api, context);
  addDeviceSignIn(api, context);
  addDeviceApproval(api, context);
  addSessions(api, context);
  addWallets(api, context);
  addPasskeys(api, context);
  addMe(api, context);
  addMailSettings(api, context);
  addKeys(api, context);
  addSpend(api, context);
  addAudit(api, context);
}
