import { apiPath, facilitatorPath } from "../../protocol/settlement/vocabulary.ts";
import { cardName } from "../a2a/agent-card.ts";
import type { Context } from "../context.ts";
import { constantDocument } from "../http/constant-document.ts";
import { mcpPath } from "../mcp/resource-metadata.ts";
import type { App } from "../variables.ts";
import { purchaseIndexPath } from "./purchase-index.ts";

/** Days for which a `security.txt` is valid: RFC 9116 recommends less than a year. */
const validDays = 180;

/**
 * Adds the texts that language models and security researchers look for: `/llms.txt` (llmstxt.org), and
 * `/.well-known/security.txt` (RFC 9116) if the operator has set a contact.
 */
export function addSiteTexts(app: App, { config }: Context): void {
  const { publicUrl, securityContact } = config;
  app.get(
    "/llms.txt",
    constantDocument("text/plain; charset=utf-8", () => writeOverview(publicUrl)),
  );
  if (securityContact === null) return;
  app.get("/.well-known/security.txt", (c) => {
    c.header("Cache-Control", "public, max-age=300");
    const expires = new Date(Date.now() + validDays * 86_400_000).toISOString();
    const lines = [
      `Contact: ${securityContact}`,
      `Expires: ${expires}`,
      "Preferred-Languages: en, de",
      `Canonical: ${publicUrl}/.well-known/security.txt`,
      "",
    ];
    return c.body(lines.join("\n"), 200, { "Content-Type": "text/plain; charset=utf-8" });
  });
}

function writeOverview(site: string): string {
  const link = (path: string, name: string, text: string) => `- [${name}](${site}${path}): ${text}`;
  return `${[
    "# Earnest",
    "",
    "> A marketplace where programs buy and sell services. The money of each order waits in an on-chain escrow that",
    "> nobody can divert, the operator included. Each end of an order has a signed receipt.",
    "",
    "A buyer needs a wallet with stablecoins, and no account: one request with x402 buys a service. If nothing is",
    "delivered, the money goes back to the buyer. The provider gets it once the buyer releases it, or nobody disputes the",
    "recorded delivery within the acceptance window.",
    "",
    "## Buy",
    "",
    link(
      "/discovery/resources",
      "Services by x402",
      "what one request can buy, with input schema, price and tokens",
    ),
    link(
      `${apiPath}/marketplace/services`,
      "Search",
      "all services; `q`, `currency`, `chain_id`, `token`, `sort`",
    ),
    link(purchaseIndexPath, "OpenAPI of purchases", "each service as an operation with its price"),
    link(mcpPath, "MCP", "the tools of an assistant (POST); at `/mcp/account` by OAuth"),
    link(cardName, "Agent card", "A2A: find services, and buy them as tasks; each agent has a card"),
    "",
    "## Build",
    "",
    link(`${apiPath}/openapi.json`, "OpenAPI", "every operation"),
    link(`${apiPath}/chains`, "Chains", "chains, tokens, contracts and their state"),
    link(`${facilitatorPath}/supported`, "Facilitator", "verifies and settles x402 payments of orders"),
    link("/docs", "Reference", "the same operations as a page that sends requests"),
    "",
    "## Verify",
    "",
    link("/.well-known/did.json", "Keys", "the keys that sign receipts"),
    link("/log/anchors", "Log", "the anchors of the public log of all receipts (C2SP tlog-tiles)"),
  ].join("\n")}\n`;
}
