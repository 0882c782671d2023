import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addMe } from "./account.ts";
import { addKeys } from "./api-keys.ts";
import { addAudit } from "./audit-list.ts";
import { addMail } from "./mail.ts";
import { addPasskeys } from "./passkeys.ts";
import { addAuthentication } from "./sign-in.ts";
import { addSpend } from "./spend.ts";
import { addWallets } from "./wallets.ts";

/** Adds the routes of sign-in, wallets, the account, mail, keys, spending and audit. */
export function addAccounts(api: App, context: Context): void {
  addAuthentication(api, context);
  addWallets(api, context);
  addPasskeys(api, context);
  addMe(api, context);
  addMail(api, context);
  addKeys(api, context);
  addSpend(api, context);
  addAudit(api, context);
}
