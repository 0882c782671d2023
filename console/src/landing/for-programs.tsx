import { CopyButton } from "../parts/copy-button.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { serviceUrl } from "../settings.ts";
import { i18n } from "../text/i18n.ts";

/** The start for programs: calls by curl, by a client and by an assistant. */
export function ForPrograms() {
  const examples = [
    ["curl", `curl "${serviceUrl}/api/v1/marketplace/services?q=translate&limit=3"`],
    [
      "TypeScript",
      `const earnest = new Earnest({ baseUrl: "${serviceUrl}", apiKey: process.env.EARNEST_KEY });
const found = await earnest.marketplace.searchServices({ q: "translate", limit: 1 });
const purchase = await earnest.buy(found.items[0], { text: "Hello" }, { wallet, maxAmount: "20" });
const { output } = await purchase.delivery();
await purchase.accept();`,
    ],
    ["MCP", `{ "mcpServers": { "earnest": { "type": "http", "url": "${serviceUrl}/mcp" } } }`],
  ] as const;
  return (
    <section aria-labelledby="programs">
      <div className="card-head">
        <h2 id="programs">{i18n.t("Made for programs")}</h2>
        <a href="./docs">{i18n.t("API reference")}</a>
      </div>
      <p>
        {i18n.t(
          "All of this is an HTTP API. Buy by x402 with one request, use the clients for TypeScript, Python and Go, or connect an assistant by MCP.",
        )}
      </p>
      <Tabs
        label={i18n.t("Languages")}
        tabs={examples.map(([title, text]) => ({
          id: title,
          title,
          content: (
            <div className="example">
              <CopyButton text={text} what={i18n.t("example")} />
              <Raw>{text}</Raw>
            </div>
          ),
        }))}
      />
    </section>
  );
}
