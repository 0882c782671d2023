import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, expect } from "vitest";
import { readReceiptSigner } from "../../config/keys/signing-key.ts";
import { signExecution } from "../../protocol/execution/sign.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { expectStatus } from "../harness/api.ts";
import { blockOf } from "../harness/documents/blocks.ts";
import { likeSample, withoutChanges } from "../harness/documents/outputs.ts";
import { createSampleCheck, readSample, type Schema } from "../harness/documents/samples.ts";
import { openStage, type Stage } from "../harness/documents/stage.ts";
import { root, startProgram } from "../harness/programs.ts";
import { testOnStack } from "../harness/stack.ts";

const description = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8"));
const checkSample = createSampleCheck(description);
/**
 * Returns the path of an operation that takes only an id: below the API, or at the root where the operation
 * is.
 */
function pathOf(operationId: string, id: string): string {
  const [path = "", item] =
    Object.entries(
      description.paths as Record<string, { get?: { operationId: string; servers?: object } }>,
    ).find(([, { get }]) => get?.operationId === operationId) ?? [];
  return `${item?.get?.servers ? "" : apiPath}${path.replace(/\{\w+\}/, id)}`;
}

const faultsOf = (text: string, name: string) =>
  checkSample(JSON.parse(text), { $ref: `#/components/schemas/${name}` } as Schema);

let opened: Promise<Stage> | undefined;
afterAll(async () => (await opened)?.close());

const testOnStage = testOnStack.extend<{ stage: Stage }>({
  stage: async ({ stack }, use) => {
    opened ??= openStage(stack);
    await use(await opened);
  },
});

testOnStage(
  "README.md: the sample order prints the lines that are shown, in their order",
  async ({ stage }) => {
    const shown = /^ 1\. [\s\S]*(?=\n\nEarnest is running)/m.exec(blockOf("README.md: Try it 2"))?.[0] ?? "";
    const lines = withoutChanges(shown).split("\n");
    const printed = withoutChanges(stage.printed).split("\n");
    expect(lines.length).toBeGreaterThan(10);
    expect(printed.filter((line) => lines.includes(line))).toEqual(lines);
  },
);

testOnStage("README.md: a purchase in three requests", async ({ stage }) => {
  const more: [string, string][] = [
    ["svc_01jd...", stage.order.service_id],
    ["ord_01jd...", await stage.placeOrder()],
  ];
  const printed = await stage.runShell(
    stage.place("README.md: Buy 2", more).replaceAll(/(curl )/g, "echo; $1-s "),
  );
  const [, found, order, due] = printed.split("\n") as [string, string, string, string];
  expect(faultsOf(found, "FoundServices")).toEqual([]);
  expect(JSON.parse(found).items.map(({ id }: { id: string }) => id)).toContain(stage.order.service_id);
  expect(faultsOf(order, "Order")).toEqual([]);
  expect(JSON.parse(due).calls).toHaveLength(2);
});

testOnStage("README.md, docs/examples/buy.mjs: a purchase in one request", async ({ stage }) => {
  const { agent, service } = stage.offered;
  const buying = stage.place("docs/examples/buy.mjs");
  const bought = await stage.runProgram(buying, { BUY_URL: service.buy_url });
  expect(bought).toMatch(/^200 delivered \{ words: 6 \} ecl_\S+\n$/);
  // The README shows only the part after the wallet.
  const [before] = buying.split("const bought");
  const short = stage.place("README.md: Buy", [["statistician/word-count", `${agent.slug}/${service.slug}`]]);
  const named = `${before}const { API } = process.env;\n${short}\nconsole.log(order.output_payload, claim.token);`;
  expect(await stage.runProgram(named)).toMatch(/^\{ words: 6 \} ecl_\S+\n$/);
});

testOnStage("docs/examples/tour.sh leads to the answers that docs/tour.md shows", async ({ stage }) => {
  const { node } = stage.stack.chain;
  // As under `npm start`, transactions are not mined at once.
  await node.setIntervalMining({ interval: 1 });
  const printed = await stage.runShell(stage.place("docs/examples/tour.sh")).finally(async () => {
    await node.setIntervalMining({ interval: 0 });
    await node.setAutomine(true);
  });
  expect(printed).toContain("Statistics of a text");
  expect(printed).toContain("input_schema_violation");
  expect(printed).toContain("order.created, order.funded");
  expect(withoutChanges(printed)).toContain(withoutChanges(blockOf("docs/tour.md: A tour with curl")));
  for (const line of ["settlement document: signature valid", "chain: agrees", "log: contains the receipt"]) {
    expect(printed).toContain(line);
  }
});

testOnStage(
  "docs/api.md: a wallet signs in by two requests, with the answers that are shown",
  async ({ stage }) => {
    const text = blockOf("docs/api.md: Signing in");
    const [ask, , sign] = text.split("\n\n") as [string, string, string];
    const BASE = `${stage.stack.baseUrl}/api/v1`;
    const request = async (paragraph: string, more: [string, string][]) => {
      const [command = "", sample = ""] = paragraph.split("\n# ");
      const filled = more.reduce((so, [from, to]) => so.replace(from, to), command);
      return { answer: JSON.parse(await stage.runShell(filled, { BASE })), sample: readSample(sample) };
    };
    const nonce = await request(ask, [['"0x90F7..."', `"${stage.wallet.address}"`]]);
    expect(likeSample(nonce.answer, nonce.sample)).toEqual(likeSample(nonce.sample, nonce.sample));
    const signature = await stage.wallet.signMessage({ message: nonce.answer.message });
    const session = await request(sign, [
      ['"message": "..."', `"message": ${JSON.stringify(nonce.answer.message)}`],
      ['"f3c0..."', `"${nonce.answer.nonce}"`],
      ['"0x..."', `"${signature}"`],
    ]);
    expect(likeSample(session.answer, session.sample)).toEqual(likeSample(session.sample, session.sample));
  },
);

testOnStage("docs/orders.md: the agreement has the hash that the escrow has", async ({ stage }) => {
  const command = stage.place("docs/orders.md: The agreement", [["ord_01jd...", stage.order.id]]);
  const [hash] = (await stage.runShell(command, { BASE: `${stage.stack.baseUrl}/api/v1` })).split(" ");
  const agreement = await stage.requester.request("GET", `/orders/${stage.order.id}/agreement`, {
    apiKey: stage.key,
  });
  expect(`0x${hash}`).toBe(agreement.headers.get("x-order-hash"));
});

testOnStage(
  "docs/webhooks.md: an endpoint is made, and a stream is of the form that is shown",
  async ({ stage }) => {
    const BASE = `${stage.stack.baseUrl}/api/v1`;
    const made = await stage.runShell(blockOf("docs/webhooks.md: An endpoint"), { BASE });
    expect(faultsOf(made, "NewWebhook")).toEqual([]);
    const ofOrders = JSON.parse(made).id;
    expectStatus(
      200,
      await stage.requester.request("DELETE", `/webhooks/${ofOrders}`, { apiKey: stage.key }),
    );
    const env = { ...process.env, BASE, KEY: stage.key };
    const follow = startProgram("bash", ["-ec", `exec ${blockOf("docs/webhooks.md: The stream")}`], { env });
    // Events from now on are sent once the position in the feed is stored.
    await follow.says("id: ");
    await stage.placeOrder();
    await follow.says('"order.created"');
    await expect.poll(follow.output).toMatch(/^data: .*\n/m);
    follow.process.kill();
    await follow.ended;
    const printed = follow.output();
    const names = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((line) => line.split(":")[0]);
    const sample = blockOf("docs/webhooks.md: The stream 2");
    expect([...new Set(names(printed))]).toEqual([...new Set(names(sample))]);
    const dataOf = (text: string) => readSample(/^data: (.*)$/m.exec(text)?.[1] ?? "") as object;
    expect(Object.keys(dataOf(printed))).toEqual(Object.keys(dataOf(sample)));
  },
);

testOnStage("README.md: the command finds the receipt good", async ({ stage }) => {
  const printed = await stage.runShell(stage.place("README.md: Verify", [["<id>", stage.receipt.id]]));
  expect(printed).toContain("settlement document: signature valid");
  expect(printed).toContain("log: contains the receipt");
});

testOnStage("docs/receipts.md: the commands print what is shown", async ({ stage }) => {
  const commands = stage.place("docs/receipts.md: Check a receipt from the command line", [
    ["receipt.json", join(stage.folder, "receipt.json")],
    ["<id>", stage.receipt.id],
  ]);
  const [ofFile = "", ofAddress = ""] = commands.split(/\n(?=npm)/);
  expect(await stage.runShell(ofFile)).toContain("chain: not checked");
  const fresh = { XDG_STATE_HOME: join(stage.folder, "fresh") };
  const shown = withoutChanges(blockOf("docs/receipts.md: Check a receipt from the command line 2")).trim();
  const lines = withoutChanges(await stage.runShell(ofAddress, fresh)).split("\n");
  expect(lines).toEqual(expect.arrayContaining(shown.split("\n")));
  const log = stage.place("docs/receipts.md: The key log 2");
  const head = /head {2}(0x\w+)/.exec(await stage.runShell(log.replace(/--pin .*/, "")))?.[1] ?? "";
  expect(await stage.runShell(log.replace(/0x<.*>/, head))).toContain("including the pinned one");
});

testOnStage("docs/receipts.md: the programs find the receipts good", async ({ stage }) => {
  const { chain } = stage.stack;
  const { document } = stage.receipt;
  const program = stage.place("docs/receipts.md: Check a receipt in a program", [
    ["confirmations: 12", "confirmations: 1"],
    ['"0x..."', `"${chain.chain.escrow_contract}"`],
  ]);
  const known = `const text = ${JSON.stringify(JSON.stringify(document))};\n`;
  expect(await stage.runProgram(known + program)).toBe("the chain agrees\n");
  for (const library of ["jose", "x402"]) {
    const program = stage.place(`docs/examples/verify_with_${library}.mjs`);
    expect(await stage.runProgram(program), library).toBe(`${document.transaction}\n`);
  }
  expect(await stage.runProgram(stage.place("docs/examples/digital_bazaar.mjs"))).toBe("true\n");
  // The worker signs a statement once it has computed the record.
  const statement = `/agents/${stage.agentSlug}/record/statement`;
  await expect.poll(async () => (await stage.requester.request("GET", statement)).status).toBe(200);
  const record = `const text = await (await fetch("${stage.stack.baseUrl}/api/v1${statement}")).text();\n`;
  const block = stage.place("docs/receipts.md: Statements of agents' records", [
    ['"translator"', `"${stage.agentSlug}"`],
  ]);
  expect(await stage.runProgram(record + block)).toMatch(/^(\d+|null) [1-9]\d*\n$/);
});

testOnStage(
  "docs/log.md: the programs find the receipt in the log, and read all of it",
  async ({ stage }) => {
    const at = `${stage.stack.baseUrl}/log`;
    const proofUrl = `${stage.stack.baseUrl}${pathOf("readReceiptProof", stage.receipt.id)}`;
    await expect.poll(async () => (await fetch(proofUrl)).status).toBe(200);
    const known = `
    const read = async (address) => (await fetch(address)).text();
    const document = ${JSON.stringify(stage.receipt.document)};
    const proofText = await read("${proofUrl}");
    const vkey = (await read("${at}/vkey")).trim();
    const checkpoint = await read("${at}/checkpoint");
    const kept = new Map();
    const memory = { get: async (origin) => kept.get(origin) ?? null, set: async (origin, text) => void kept.set(origin, text) };
    const publish = (evidence) => console.log("evidence", evidence);\n`;
    const valid = "console.log(result.valid);";
    const run = (key: string, before: string, after: string) =>
      stage.runProgram(`${known}${before}${stage.place(key)}${after}`);
    expect(await run("docs/log.md: Check a receipt", "", valid)).toBe("true\n");
    expect(await run("docs/log.md: Remember", "", valid)).toBe("true\n");
    const verified = `import { verifyCheckpoint } from "earnest/tlog";
    const verified = verifyCheckpoint(checkpoint, { vkey });\n`;
    expect(await run("docs/log.md: Read the whole log", verified, "")).toContain(stage.receipt.id);
  },
);

testOnStage(
  "docs/execution.md: the endpoint does what the service asks for, and nothing else",
  async ({ stage }) => {
    const { config } = stage.stack;
    const body = JSON.stringify({ ...(readSample(requestShown()) as object), agent_id: "agt_01jd..." });
    const signer = readReceiptSigner(config);
    const url = "https://agent.example/orders";
    const headers = signExecution({ url, body, idempotencyKey: "ord_01jd..." }, signer);
    const asks = `
    const translate = async ({ text }) => ({ translation: text });
    const ask = (headers) => app.request(${JSON.stringify(url)}, { method: "POST", body: ${JSON.stringify(body)}, headers });
    for (const headers of [${JSON.stringify(headers)}, {}]) {
      const answer = await ask(headers);
      console.log(answer.status, JSON.stringify(await answer.json()));
    }`;
    const printed = await stage.runProgram(stage.place("docs/execution.md: Check the request") + asks);
    expect(printed).toBe(
      '200 {"output_payload":{"translation":"Guten Tag"}}\n401 {"error":"missing_signature"}\n',
    );
  },
);

/** The body of the request that docs/execution.md shows, in full values. */
const requestShown = () => blockOf("docs/execution.md: The request").split("\n\n")[1] ?? "";

testOnStage("docs/monitor.md, docs/reputation.md: the commands find nothing", async ({ stage }) => {
  const once = stage.place("docs/monitor.md: A monitor").trim();
  expect(await stage.runShell(`${once} --state ${join(stage.folder, "monitor.json")}`)).toMatch(
    /^No findings\./,
  );
  const audit = stage.place("docs/reputation.md: Compute it again", [["translator", stage.agentSlug]]);
  expect(await stage.runShell(audit.trim())).toContain("statement: valid");
});

testOnStage("docs/recovery.md: the statement finds no escrow that lacks its order", async ({ stage }) => {
  const rows = await stage.stack.db.execute(sql.raw(blockOf("docs/recovery.md: A database of an hour ago")));
  expect(rows.fields?.map(({ name }: { name: string }) => name)).toEqual([
    "escrow_id",
    "buyer",
    "provider",
    "amount",
  ]);
});
