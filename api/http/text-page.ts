import type { Context as HonoContext } from "hono";
import { html, raw } from "hono/html";
import type { Variables } from "../variables.ts";
import { policyOfText } from "./security-headers.ts";

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 3rem auto; padding: 0 1rem; color: #222; background: #fff; }
h1 { font-size: 1.4rem; } button { font: inherit; padding: .5rem 1rem; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #111; } }
`;
const policy = policyOfText(style).replace("form-action 'none'", "form-action 'self'");

/** A page of plain text, with a button that posts to the page itself. */
export type TextPage = { title: string; text: string; button?: string };

/** Answers with a page of text in the reader's language. No cache stores it, because its URL may hold a token. */
export function showTextPage(
  c: HonoContext<{ Variables: Variables }>,
  status: 200 | 400,
  { title, text, button }: TextPage,
) {
  c.header("Content-Security-Policy", policy);
  c.header("Cache-Control", "no-store");
  return c.html(
    html`<!doctype html>
<html lang="${c.get("language")}">
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
