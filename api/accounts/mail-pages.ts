import type { Context as HonoContext } from "hono";
import { readWebhookKey } from "../../config/keys/webhook-key.ts";
import { textsOf } from "../../console/src/text/service-texts.ts";
import { inTransaction } from "../../db/transaction.ts";
import { findSubscribed, stopMail, verifyMail } from "../../trade/mail/mail-settings.ts";
import { Refusal } from "../../trade/refusal.ts";
import type { Context } from "../context.ts";
import { readLanguage } from "../http/reader-language.ts";
import { showTextPage } from "../http/text-page.ts";
import type { App, Variables } from "../variables.ts";

/**
 * Adds the pages that mail links to. Mail programs open links by themselves, so only the page's button changes anything. A
 * mail program that unsubscribes by one click (RFC 8058) sends the same POST. Neither needs a sign-in.
 */
export function addMailPages(app: App, { db, config }: Context): void {
  const tokenOf = (c: HonoContext<{ Variables: Variables }>) => (c.req.query("token") ?? "").slice(0, 200);

  app.use("/mail/*", readLanguage);

  app.get("/mail/verify", async (c) => {
    const i18n = await textsOf(c.get("language"));
    return showTextPage(c, 200, {
      title: i18n.t("Confirm your address"),
      text: i18n.t("The events of your account will be sent to this address."),
      button: i18n.t("Confirm"),
    });
  });
  app.post("/mail/verify", async (c) => {
    const key = readWebhookKey(config);
    const i18n = await textsOf(c.get("language"));
    try {
      await inTransaction(db, (tx) => verifyMail(tx, key, tokenOf(c)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return showTextPage(c, 400, {
        title: i18n.t("This link is not valid"),
        text: i18n.t(
          "This link was used, it is more than a day old, or a newer link was sent. Request a new link.",
        ),
      });
    }
    return showTextPage(c, 200, {
      title: i18n.t("Your address is confirmed"),
      text: i18n.t("You may close this page."),
    });
  });

  app.get("/mail/unsubscribe", async (c) => {
    const i18n = await textsOf(c.get("language"));
    return showTextPage(c, 200, {
      title: i18n.t("Unsubscribe"),
      text: i18n.t("Events of your account will not be sent to this address."),
      button: i18n.t("Unsubscribe"),
    });
  });
  app.post("/mail/unsubscribe", async (c) => {
    const key = readWebhookKey(config);
    await inTransaction(db, async (tx) => {
      const setting = await findSubscribed(tx, key, tokenOf(c));
      if (setting) await stopMail(tx, setting, "unsubscribed");
    });
    // The answer is the same for every token, so it does not reveal whether a token is valid.
    const i18n = await textsOf(c.get("language"));
    return showTextPage(c, 200, {
      title: i18n.t("You are unsubscribed"),
      text: i18n.t("You may close this page."),
    });
  });
}
