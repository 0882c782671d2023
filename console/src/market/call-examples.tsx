import type { Service } from "earnest-client";
import { initialValueOf } from "../form/initial-value.ts";
import type { Schema } from "../form/schema-input.ts";
import { CodeTabs } from "../parts/code-tabs.tsx";
import { serviceUrl } from "../settings.ts";
import { i18n } from "../text/i18n.ts";

/** Shows how a program buys a service: by curl, TypeScript, Python, Go and MCP. */
export function CallExamples({ service }: { service: Service }) {
  const examples = examplesOf(service);
  return (
    <section aria-labelledby="call">
      <h2 id="call">{i18n.t("Call it from your program")}</h2>
      {service.buy_url && (
        <p>
          {i18n.t("Any x402 client buys it with one request, without an account:")}{" "}
          <code>{`POST ${service.buy_url}`}</code>
        </p>
      )}
      <CodeTabs samples={examples} />
    </section>
  );
}

/** Returns an example for each language. The input is the form's empty value; its text is quoted for each language. */
function examplesOf(service: Service): [title: string, text: string][] {
  const { id, slug, price } = service;
  const agent = service.agent.slug;
  const input = JSON.stringify(initialValueOf(service.input_schema as Schema | null) ?? {});
  const quoted = JSON.stringify(input);
  const most = price ?? "10.00";
  const url = `${serviceUrl}/api/v1`;
  return [
    [
      "curl",
      `curl -X POST ${url}/orders \\
  -H "Authorization: Bearer $EARNEST_KEY" -H "Content-Type: application/json" \\
  -d '{"service_id":"${id}","input_payload":${input.replaceAll("'", "'\\''")}}'`,
    ],
    [
      "TypeScript",
      `const earnest = new Earnest({ baseUrl: "${serviceUrl}", apiKey: process.env.EARNEST_KEY });
const service = await earnest.services.get("${agent}", "${slug}");
const purchase = await earnest.buy(service, ${input}, { wallet, maxAmount: "${most}" });
const { output } = await purchase.delivery();
await purchase.accept();`,
    ],
    [
      "Python",
      `with Earnest("${serviceUrl}", api_key=os.environ["EARNEST_KEY"]) as earnest:
    service = earnest.services.get("${agent}", "${slug}")
    purchase = earnest.buy(service, json.loads(${quoted}), wallet=wallet, market=market, max_amount="${most}")
    print(purchase.delivery().output)
    purchase.accept()`,
    ],
    [
      "Go",
      `client, err := earnest.NewClient("${serviceUrl}", earnest.WithAPIKey(os.Getenv("EARNEST_KEY")))
input := json.RawMessage(${quoted})
order, err := client.Buy(ctx, "${id}", earnest.BuyOptions{Wallet: key, Node: node, MaxAmount: "${most}", Input: input})`,
    ],
    [
      "MCP",
      `{ "mcpServers": { "earnest": {
  "type": "http", "url": "${serviceUrl}/mcp", "headers": { "Authorization": "Bearer esk_..." }
} } }`,
    ],
  ];
}
