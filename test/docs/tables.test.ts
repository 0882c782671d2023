import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorStatus } from "../../api/http/api-error.ts";
import { environment, readConfig } from "../../config/config.ts";
import { unpaidCaps, usualRates } from "../../config/limits.ts";
import { chainSettings } from "../../config/settings.ts";
import { eventTypes } from "../../protocol/settlement/vocabulary.ts";
import { caps } from "../../trade/account-caps.ts";
import { findingCodes } from "../../verifiers/monitor/findings.ts";
import { documents, readTable, wordsOf } from "../harness/documents/blocks.ts";
import { root } from "../harness/programs.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");
const description = JSON.parse(read("docs/openapi.json"));
const numberOf = (cell: string) => Number(cell.replaceAll(",", ""));
/** The words of the first column of a table. */
const firstWords = (file: string, head: string) =>
  readTable(file, head).flatMap(([cell]) => wordsOf(cell ?? ""));

test.each([
  ["docs/orders.md", "| status | because | by |", "OrderStatus"],
  ["docs/orders.md", "| `delivery_record` | what it says |", "DeliveryRecord"],
  ["docs/orders.md", "| stage | what it means |", "DisputeStage"],
  ["docs/orders.md", "| action | who, when |", "SettlementActionName"],
  ["docs/limits.md", "| limit | binds |", "SpendLimitName"],
  ["docs/api.md", "| role | may |", "OrganisationRole"],
  ["docs/marketplace.md", "| `pricing_model` | an order costs | quantity | ordered |", "PricingModel"],
  ["docs/marketplace.md", "| state | listed | open to all by its path | takes orders |", "AgentStatus"],
  ["docs/payments.md", "| `ended_reason` | meaning |", "SubscriptionEnd"],
  [
    "docs/payments.md",
    "| `claim` | the money went | `direction` for the buyer | for the provider |",
    "SettlementClaim",
  ],
  ["docs/webhooks.md", "| type | means |", "EventType"],
])("%s lists all words in the table %s", (file, head, name) => {
  const known: string[] = description.components.schemas[name].enum;
  // A limit that only asks for approval refuses nothing.
  const words = firstWords(file, head).filter(
    (word) => !(name === "SpendLimitName" && word === "approval_above"),
  );
  expect(words.toSorted()).toEqual(known.toSorted());
});

test("docs/webhooks.md has every type of event", () => {
  expect(firstWords("docs/webhooks.md", "| type | means |").toSorted()).toEqual(
    Object.keys(eventTypes).toSorted(),
  );
});

test("docs/monitor.md has every finding", () => {
  expect(firstWords("docs/monitor.md", "| code | meaning |")).toEqual(Object.keys(findingCodes));
});

test("docs/execution.md has every reason for which a request can fail", () => {
  const documented = firstWords("docs/execution.md", "| reason | means |");
  const types = [read("untrusted/outbound/send-failure.ts"), read("untrusted/outbound/url-guard.ts")].map(
    (text) => /export type \w+Code =[\s\S]*?;/.exec(text)?.[0] ?? "",
  );
  const ofRequests = types.join("").match(/(?<=")[a-z_]+(?=")/g) ?? [];
  // The service's own reasons to send no request yet.
  const ofService = ["aborted", "address_busy"];
  const ofAnswers = [...read("jobs/executions/execution-result.ts").matchAll(/failed\("(\w+)"/g)].map(
    ([, code]) => code,
  );
  const known = [...ofRequests, ...ofAnswers].filter((code) => !ofService.includes(String(code)));
  expect(known.length).toBeGreaterThan(18);
  expect(known.filter((code) => !documented.includes(String(code)))).toEqual([]);
});

test("docs/api.md has the limits of requests and bytes", () => {
  const rows = readTable("docs/api.md", "| policy | counts | most a minute |");
  const documented = rows.map(([policy = "", , most = ""]) => [wordsOf(policy)[0], numberOf(most)]);
  expect(Object.fromEntries(documented)).toEqual(usualRates);
});

test("docs/api.md has the caps of an account", () => {
  const names: Record<keyof typeof caps, string> = {
    agents: "agents",
    wallets: "wallets",
    services: "services",
    keys: "keys that are neither revoked nor expired",
    subscriptions: "active subscriptions",
    openRequests: "open requests",
    quotesADay: "quotes given",
    domainsADay: "domains claimed",
    requestsADay: "requests posted",
    reviewsADay: "reviews written",
    reportsADay: "subjects reported",
    erasureRequestsADay: "erasures requested",
  };
  const documented = readTable("docs/api.md", "| an account has at most | | and in a day | |").flatMap(
    ([what = "", most = "", daily = "", mostDaily = ""]) => [
      [what, numberOf(most)],
      ...(daily === "" ? [] : [[daily, numberOf(mostDaily)]]),
    ],
  );
  const known = Object.entries(caps).map(([cap, most]) => [names[cap as keyof typeof caps], most]);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(known));
});

test("docs/orders.md has the caps of unpaid orders", () => {
  const rows = readTable("docs/orders.md", "| who | most orders that wait for their money |");
  expect(rows.map(([, most = ""]) => numberOf(most))).toEqual(Object.values(unpaidCaps));
});

test(".env.example has every setting of a running service, each once", () => {
  const chains = Object.keys(chainSettings);
  const known = [...Object.keys(environment.shape), ...chains.map((name) => `${name}_8453`)];
  const documented = [...read(".env.example").matchAll(/^#([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name);
  expect(known.filter((name) => !documented.includes(name))).toEqual([]);
  expect(new Set(documented).size).toBe(documented.length);
});

test("the lines of .env.example have the default values", () => {
  const examples = ["METRICS_PORT", "OTEL_EXPORTER_OTLP_ENDPOINT", "DOMAIN_DNS_SERVERS"];
  const lines = [...read(".env.example").matchAll(/^#([A-Z][A-Z0-9_]+)=(.+)$/gm)];
  const values = Object.fromEntries(lines.map(([, name, value]) => [name, value]));
  for (const name of examples) delete values[String(name)];
  expect(Object.keys(values).length).toBeGreaterThan(40);
  expect(readConfig(values)).toEqual(readConfig({}));
});

test("docs/operations/troubleshoot.md has every alert of the service", () => {
  const documented = wordsOf(read("docs/operations/troubleshoot.md"));
  const code = ["api", "jobs"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => read(`${folder}/${file}`)),
  );
  const known = [...code.join("\n").matchAll(/alert: "(\w+)"/g)].map(([, name = ""]) => name);
  expect(known.length).toBeGreaterThan(10);
  expect(known.filter((name) => !documented.includes(name))).toEqual([]);
});

test("the status beside each error code is the one of the code", () => {
  for (const file of documents) {
    for (const [text, status, code = ""] of read(file).matchAll(/\b([45]\d\d) `([a-z_]+)`/g)) {
      expect([file, text, errorStatus[code as keyof typeof errorStatus]]).toEqual([
        file,
        text,
        Number(status),
      ]);
    }
  }
});

test("docs/README.md lists every page", () => {
  const index = read("docs/README.md");
  const pages = documents.filter((file) => file.startsWith("docs/") && file !== "docs/README.md");
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.filter((page) => !index.includes(`](${page.slice("docs/".length)})`))).toEqual([]);
});
