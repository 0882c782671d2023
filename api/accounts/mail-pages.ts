import type { Context as HonoContext } from "hono";
import { html, raw } from "hono/html";
import { readWebhookKey } from "../../config/keys/webhook-key.ts";
import { inTransaction } from "../../db/transaction.ts";
import { findSubscribed, stopMail, verifyMail } from "../../trade/mail/mail-settings.ts";
import { Refusal } from "../../trade/refusal.ts";
import type { Context } from "../context.ts";
import { policyOfText } from "../http/security-headers.ts";
import type { App, Variables } from "../variables.ts";

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 3rem auto; padding: 0 1rem; color: #222; background: #fff; }
h1 { font-size: 1.4rem; } button { font: inherit; padding: .5rem 1rem; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #111; } }
`;
const policy = policyOfText(style).replace("form-action 'none'", "form-action 'self'");

type Page = { title: string; text: string; button?: string };

/**
 * Adds the pages that mail links to. Mail programs open links by themselves, so only the page's button changes anything. A
 * mail program that unsubscribes by one click (RFC 8058) sends the same POST. Neither needs a sign-in.
 */
export function addMailPages(app: App, { db, config }: Context): void {
  const tokenOf = (c: HonoContext<{ Variables: Variables }>) => (c.req.query("token") ?? "").slice(0, 200);

  app.get("/mail/verify", (c) =>
    show(c, 200, {
      title: "Confirm your address",
      text: "The events of your account will be sent to this address.",
      button: "Confirm",
    }),
  );
  app.post("/mail/verify", async (c) => {
    const key = readWebhookKey(config);
    try {
      await inTransaction(db, (tx) => verifyMail(tx, key, tokenOf(c)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return show(c, 400, { title: "This link is not valid", text: error.message });
    }
    return show(c, 200, { title: "Your address is confirmed", text: "You may close this page." });
  });

  app.get("/mail/unsubscribe", (c) =>
    show(c, 200, {
      title: "Unsubscribe",
      text: "Events of your account will not be sent to this address.",
      button: "Unsubscribe",
    }),
  );
  app.post("/mail/unsubscribe", async (c) => {
    const key = readWebhookKey(config);
    await inTransaction(db, async (tx) => {
      const setting = await findSubscribed(tx, key, tokenOf(c));
      if (setting) await stopMail(tx, setting, "unsubscribed");
    });
    // The answer is the same for every token, so it does not reveal whether a token is valid.
    return show(c, 200, { title: "You are unsubscribed", text: "You may close this page." });
  });
}

function show(c: HonoContext<{ Variables: Variables }>, status: 200 | 400, { title, text, button }: Page) {
  c.header("Content-Security-Policy", policy);
  // The URL holds a token.
  c.header("Cache-Control", "no-store");
  return c.html(
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
<h1>${title}</h1>
<p>${text}</p>
${button ? html`<form method="post"><button type="submit">${button}</button></form>` : ""}
</body>
</html>
`,
    status,
  );
}
