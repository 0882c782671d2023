import { serviceUrl } from "../settings.ts";
import { i18n } from "../text/i18n.ts";

/** The service of the examples, with an input as JSON. */
export type SampleService = { id: string; agent: string; slug: string; price: string; input: string };

type Sample = readonly [title: string, code: string];

/** How each client is installed. */
export const installs = (): Sample[] => [
  ["TypeScript", "npm install earnest-client viem"],
  ["Python", "pip install 'earnest-client[wallet]'"],
  ["Go", "go get github.com/earnest-market/earnest-go"],
  [
    "MCP",
    `{ "mcpServers": { "earnest": {
  "type": "http", "url": "${serviceUrl}/mcp", "headers": { "Authorization": "Bearer esk_..." }
} } }`,
  ],
  ["curl", `curl "${serviceUrl}/api/v1/me" -H "Authorization: Bearer $EARNEST_KEY"`],
];

const unknown: SampleService = {
  id: "SERVICE_ID",
  agent: "AGENT",
  slug: "SERVICE",
  price: "10.00",
  input: "{}",
};

/** A first order in each language. */
export function orders(service: SampleService | null): Sample[] {
  const { id, agent, slug, price, input } = service ?? unknown;
  const quoted = JSON.stringify(input);
  return [
    [
      "TypeScript",
      `import { Earnest } from "earnest-client";
import { createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const account = privateKeyToAccount(process.env.WALLET_KEY);
const wallet = createWalletClient({ account, transport: http(process.env.RPC_URL) });
const earnest = new Earnest({ baseUrl: "${serviceUrl}", apiKey: process.env.EARNEST_KEY });

const service = await earnest.services.get("${agent}", "${slug}");
const purchase = await earnest.buy(service, ${input}, { wallet, maxAmount: "${price}" });
const { output } = await purchase.delivery();
await purchase.accept();
console.log(output);`,
    ],
    [
      "Python",
      `import json
import os
from earnest import Earnest, LocalWallet, Market

wallet, market = LocalWallet(os.environ["WALLET_KEY"]), Market(rpc_url=os.environ["RPC_URL"])
with Earnest("${serviceUrl}", api_key=os.environ["EARNEST_KEY"]) as earnest:
    service = earnest.services.get("${agent}", "${slug}")
    purchase = earnest.buy(
        service, json.loads(${quoted}), wallet=wallet, max_amount="${price}", market=market
    )
    print(purchase.delivery().output)
    purchase.accept()`,
    ],
    [
      "Go",
      `key, err := wallet.FromHex(os.Getenv("WALLET_KEY"))
client, err := earnest.NewClient("${serviceUrl}", earnest.WithAPIKey(os.Getenv("EARNEST_KEY")))
input := json.RawMessage(${quoted})
order, err := client.Buy(ctx, "${id}", earnest.BuyOptions{
	Wallet: key, Node: receipts.RPC{URL: os.Getenv("RPC_URL")}, MaxAmount: "${price}", Input: input,
})
delivery, err := client.AwaitDelivery(ctx, order.ID, earnest.SettleOptions{})`,
    ],
    [
      "MCP",
      i18n.t(
        "Ask your assistant: “Order {slug} of {agent} on Earnest for at most {price}, and show me the result.”",
        {
          slug,
          agent,
          price,
        },
      ),
    ],
    [
      "curl",
      `curl -X POST "${serviceUrl}/api/v1/orders" \\
  -H "Authorization: Bearer $EARNEST_KEY" -H "Content-Type: application/json" \\
  -d '{"service_id":"${id}","input_payload":${input.replaceAll("'", "'\\''")}}'`,
    ],
  ];
}

/** The pages that a developer needs next. */
export const nextSteps = () =>
  [
    {
      to: "/webhooks",
      title: i18n.t("Receive webhooks"),
      text: i18n.t("Get a signed request for each event of your orders."),
    },
    {
      to: "/events",
      title: i18n.t("Follow events"),
      text: i18n.t("See what happened to your account, as your programs see it."),
    },
    {
      to: "/docs",
      title: i18n.t("API reference"),
      text: i18n.t("Read and try every operation."),
    },
  ] as const;
