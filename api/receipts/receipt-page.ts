import { createHash } from "node:crypto";
import type { Context as RequestContext } from "hono";
import { html, raw } from "hono/html";
import { eq } from "../../db/drizzle.ts";
import { order, receipt } from "../../db/schema.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { documentVersions, type SettlementClaim } from "../../receipts/document.ts";
import { issuerOf } from "../../receipts/issuer.ts";
import type { Context } from "../context.ts";
import { readWebFile } from "../http/web-files.ts";
import type { App, Variables } from "../variables.ts";
import { readReceipt } from "./receipt.ts";

/** The parts of a receipt that its page shows. */
type ShownReceipt = {
  id: string;
  claim: SettlementClaim;
  document: Record<string, unknown>;
  x402_receipt: string | null;
  revoked: boolean;
};

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; padding-right: 1rem; vertical-align: top; white-space: nowrap; }
td, pre, code { font-family: ui-monospace, monospace; font-size: .85rem; }
pre { background: #f5f5f5; padding: 1rem; white-space: pre-wrap; }
.verdict { border-left: .4rem solid #999; padding: .5rem 1rem; background: #f5f5f5; }
.verdict[data-valid=true] { border-color: #1a7f37; } .verdict[data-valid=false], .revoked { border-color: #b42318; }
.revoked { border-left: .4rem solid; padding: .5rem 1rem; }
`;
const styleHash = createHash("sha256").update(style).digest("base64");

const sentences: Record<SettlementClaim, (document: Record<string, unknown>) => string> = {
  funded: ({ buyer, provider }) => `put into escrow by ${buyer} for ${provider}`,
  part_released: ({ provider, released_so_far }) =>
    `released from escrow to ${provider} as a part, ${released_so_far} base units in all so far`,
  released: ({ provider }) => `released from escrow to ${provider}`,
  refunded: ({ buyer }) => `refunded from escrow to ${buyer}`,
};

const members = Object.keys(documentVersions[2].shape);

/** Restores the order of the schema, because the database does not keep the order of members. */
function inOrder(document: Record<string, unknown>): Record<string, unknown> {
  const names = [...members.filter((name) => name in document), ...Object.keys(document)];
  return Object.fromEntries(names.map((name) => [name, document[name]]));
}

/** Adds the page of a receipt, for everybody who knows its id, and the page's script. The page loads nothing from other hosts. */
export function addReceiptPage(root: App, context: Context): void {
  const { db } = context;
  const text = readWebFile("receipt-page.js");
  const etag = `"${createHash("sha256").update(text).digest("hex").slice(0, 32)}"`;

  root.get("/receipts/:id", async (c) => {
    const shown = await readReceipt(db, c.req.param("id"));
    const [token] = await db
      .select({ symbol: order.tokenSymbol, decimals: order.tokenDecimals })
      .from(order)
      .innerJoin(receipt, eq(receipt.orderId, order.id))
      .where(eq(receipt.id, shown.id));
    if (!token) throw new Error(`The receipt ${shown.id} has no order.`);
    return answerPage(c, context, shown, token);
  });
  root.get("/receipt-page.js", (c) => {
    const headers = { "Cache-Control": "public, max-age=300", ETag: etag };
    if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers);
    return c.body(text, 200, { ...headers, "Content-Type": "text/javascript; charset=utf-8" });
  });
}

/** Answers with a page that shows a receipt. The script of the page verifies it in the reader's browser. */
function answerPage(
  c: RequestContext<{ Variables: Variables }>,
  { config }: Context,
  shown: ShownReceipt,
  token: { symbol: string; decimals: number },
) {
  const issuer = issuerOf(config.publicUrl);
  const document = inOrder(shown.document);
  const amount = `${formatAmount(BigInt(String(document.amount)), token.decimals)} ${token.symbol}`;
  const rows = Object.entries(document).filter(([, value]) => typeof value !== "object" || value === null);
  // The URL holds the id, which is the only protection of a receipt. So no linked page may learn the URL.
  c.header("Referrer-Policy", "no-referrer");
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Cache-Control", "no-cache");
  c.header(
    "Content-Security-Policy",
    [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'sha256-${styleHash}'`,
      // The script fetches the keys at the public URL, which may differ from the page's origin.
      `connect-src 'self' ${new URL(config.publicUrl).origin}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join("; "),
  );
  return c.html(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>Receipt: ${amount} ${shown.claim}</title>
<style>${raw(style)}</style>
<script type="module" src="../receipt-page.js"></script>
</head>
<body>
<main data-issuer="${issuer}">
<h1>${amount} was ${sentences[shown.claim](document)}</h1>
${shown.revoked ? html`<p class="revoked">Revoked: a reorganisation removed the block of this receipt from the chain.</p>` : ""}
<p>${issuer} signed this statement. Your browser checks it now, with the keys published at this service's own
address and a program that this service sent. To depend on neither, check it yourself:</p>
<pre>npm run verify -- ${config.publicUrl}${apiPath}/receipts/${shown.id} --issuer ${issuer} --rpc ${"<a node of the chain>"}</pre>

<h2>Is the signature valid?</h2>
<p class="verdict" id="document-verdict">Not checked: the check needs JavaScript.</p>
${shown.x402_receipt === null ? "" : html`<p class="verdict" id="x402-verdict">The x402 receipt is not checked either.</p>`}

<h2>Is it in the log?</h2>
<p class="verdict" id="log-verdict">Not checked.</p>

<h2>Did the money move?</h2>
<p>A valid signature proves who made the statement. Only the chain can prove that it is true: look up the transaction below at a
node or an explorer that you trust, or add <code>--rpc</code> to the command above.</p>
<h2>What the receipt states</h2>
<table>${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${String(value)}</td></tr>`)}</table>

<h2>The signed document</h2>
<pre id="document">${JSON.stringify(document, null, 2)}</pre>
${shown.x402_receipt === null ? "" : html`<h2>The x402 receipt</h2><pre id="x402">${shown.x402_receipt}</pre>`}
</main>
</body>
</html>
`);
}
