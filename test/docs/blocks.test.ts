import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { type Abi, type AbiFunction, parseAbi } from "viem";
import { expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { anchorsAbi } from "../../abis/anchors.ts";
import { escrowAbi } from "../../abis/escrow.ts";
import { eventTypes } from "../../protocol/settlement/vocabulary.ts";
import { decodeEntry } from "../../protocol/tlog/entry.ts";
import { formatVerifierKey, keyTypes, noteKey } from "../../protocol/tlog/note.ts";
import { parsePolicy } from "../../protocol/tlog/policy.ts";
import { keyLogSchema } from "../../receipts/key-log.ts";
import { signedStatusListSchema } from "../../receipts/revocation.ts";
import { proofLabel } from "../../trade/domains/domain-name.ts";
import { blockOf, documents, readBlocks } from "../harness/documents/blocks.ts";
import { createExchangeCheck, type Description, isExchange } from "../harness/documents/exchanges.ts";
import { createSampleCheck, readSample, type Schema } from "../harness/documents/samples.ts";
import { root } from "../harness/programs.ts";

/**
 * Blocks that no test runs, each with its reason. A block is still parsed where its language has a parser.
 */
const unrun: Record<string, string> = {
  "README.md: Try it": "the tests of scripts/start.ts run what npm start runs, and npm test runs this",
  "clients/python/README.md: earnest-client": "installs from PyPI",
  "docs/moderation.md: Who is an operator": "the tests of scripts/operator.ts run the commands",
  "docs/frameworks.md: Buying": "the examples of clients/typescript/examples/frameworks have the same lines",
  "docs/frameworks.md: Serving": "the examples of clients/typescript/examples/frameworks have the same lines",
  "docs/sessions.md: A call":
    "the provider's endpoint takes it; the vectors of protocol/sessions test each header",
  "docs/sessions.md: The library": "both ends are in clients/typescript/test/sessions.market.test.ts",
  "docs/operations/run.md: Metrics": "needs Prometheus; the tests of metrics parse all expressions",
};

/** Blocks for people only. */
const pictures: Record<string, string> = {
  "docs/architecture.md: The parts": "the parts and who talks to whom",
  "docs/cluster.md: The parts": "the parts and who talks to whom",
  "docs/orders.md: Orders": "the statuses and their order",
  "docs/contract.md: The escrow contract": "how the escrow's id is made, which vectors prove",
  "docs/reputation.md: The score": "Wilson's interval, which vectors prove",
};

/** Documents whose blocks of one language are run by the tests of a client. */
const ofClients: Record<string, { language: string; by: string }> = {
  "clients/typescript/README.md": { language: "ts", by: "clients/typescript/test/stranger.fixture.ts" },
  "clients/python/README.md": { language: "python", by: "clients/python/tests/test_readme.py" },
  "clients/go/README.md": { language: "go", by: "clients/go/readme_test.go" },
};

type Named = { properties?: Record<string, { example?: string }> };
const description: Description & { components: { schemas: Record<string, Named> } } = JSON.parse(
  readFileSync(join(root, "docs/openapi.json"), "utf8"),
);
const blocks = documents.flatMap(readBlocks);
const exchanges = blocks.filter(({ text }) => isExchange(text));

/** The text of every test and of the harness, which name a block by its key. */
const tests = ["test", "clients/python/tests"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.ts$|\.py$/.test(file))
      .map((file) => readFileSync(join(root, folder, file), "utf8")),
  )
  .join("\n");

test("each block of each document has a rule", () => {
  const uncovered = blocks.filter(({ key, file, language }) => {
    const client = ofClients[file];
    return !(client?.language === language || tests.includes(`"${key}"`));
  });
  const left = uncovered.filter((block) => !exchanges.includes(block));
  expect(left.map(({ key, line }) => `${key} (line ${line})`)).toEqual([]);
  for (const [file, { by }] of Object.entries(ofClients)) {
    expect(readFileSync(join(root, by), "utf8"), file).toContain('"README.md"');
  }
  for (const key of [...Object.keys(unrun), ...Object.keys(pictures)]) blockOf(key);
});

test("each block is valid in its language", () => {
  const parse: Record<string, (text: string) => unknown> = {
    sh: (text) => {
      const { status, stderr } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
      if (status !== 0) throw new Error(stderr);
    },
    js: (text) => transformSync(text, { loader: "js", format: "esm" }),
    ts: (text) => transformSync(text, { loader: "ts", format: "esm" }),
    json: readSample,
    yaml: (text) => parseYaml(text, { strict: true, uniqueKeys: true }),
    ini: parseIni,
    // Other tests cover these: the clients in Python and Go, the contract's states, a database.
    python: () => {},
    go: () => {},
    mermaid: () => {},
    sql: () => {},
  };
  for (const { key, language, text } of blocks) {
    if (language === "") continue;
    const parser = parse[language];
    if (!parser) throw new Error(`${key}: no rule is for the language ${language}.`);
    expect(() => parser(text), key).not.toThrow();
  }
});

/** The text between sections, settings and comments, whose values hold no open quote. */
function parseIni(text: string): void {
  for (const line of text.split("\n")) {
    const isKnown = /^\s*$|^[#;]|^\[[\w-]+\]$|^[\w-]+\s*=\s*[^']*('[^']*')*[^']*$/.test(line);
    if (!isKnown) throw new Error(`This is no line of an INI file: ${line}`);
  }
}

test.each(exchanges.map(({ key, text }) => [key, text]))(
  "the API describes the requests of %s",
  (_, text) => {
    const check = createExchangeCheck(description, Object.keys(eventTypes));
    expect(check(text)).toEqual([]);
  },
);

test.each([
  ["docs/errors.md: Errors", "ApiError"],
  ["docs/limits.md: A refusal", "ApiError"],
  ["docs/files.md: Files", "FileReference"],
  ["docs/webhooks.md: A delivery", "OrderFundedEvent"],
  ["docs/examples/agreement.json", "Agreement"],
])("%s is of the schema %s", (key, name) => {
  const check = createSampleCheck(description);
  const text = blockOf(key);
  const sample = readSample(text) as object;
  // One member of an object that has more.
  const shown = text.startsWith('"') ? { ...sample, "...": "..." } : sample;
  const schema: Schema = { $ref: `#/components/schemas/${name}` };
  expect(check(shown, schema)).toEqual([]);
});

test.each([
  ["docs/receipts.md: Revoked receipts", signedStatusListSchema],
  ["docs/receipts.md: The key log", keyLogSchema],
])("%s is of the schema that verifiers use", (key, schema) => {
  const check = createSampleCheck({});
  expect(check(readSample(blockOf(key)), schema.toJSONSchema() as Schema)).toEqual([]);
});

test("the ways to add MCP name what the program and the service have", () => {
  const read = (key: string) =>
    readSample(blockOf(key)) as { mcpServers: { earnest: Record<string, object> } };
  const remote = read("docs/mcp.md: Adding it").mcpServers.earnest;
  expect(remote).toMatchObject({ type: "http", url: "https://market.example/mcp" });
  const local = read("docs/mcp.md: Adding it 2").mcpServers.earnest;
  const { name, bin } = JSON.parse(readFileSync(join(root, "clients/typescript/package.json"), "utf8"));
  expect(local.args).toEqual(["-y", name, "mcp"]);
  expect(Object.keys(bin)).toContain("earnest");
  const help = readFileSync(join(root, "clients/typescript/cli/main.ts"), "utf8");
  expect(Object.keys(local.env ?? {}).filter((variable) => !help.includes(variable))).toEqual([]);
});

test.each([
  "docs/architecture.md: Flow 1: a buyer places an order",
  "docs/architecture.md: Flow 2: a buyer pays by x402",
  "docs/architecture.md: Flow 3: a release becomes a receipt, an entry of the log and a webhook",
])("%s mentions only files that exist", (key) => {
  const named = blockOf(key).match(/\b[\w-]+(\/[\w.-]+)+\.(ts|sol)\b/g) ?? [];
  expect(named.length).toBeGreaterThan(5);
  for (const file of named) expect(() => readFileSync(join(root, file)), file).not.toThrow();
});

test("README.md describes each folder, and no other", () => {
  const lines = blockOf("README.md: How it is built").trim().split("\n");
  const documented = lines.map((line) => /^\w+(?=\/ )/.exec(line)?.[0] ?? line);
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(documented.filter((name) => !folders.some((folder) => folder.name === name))).toEqual([]);
});

test("README.md serves orders as the page of the TypeScript client does", () => {
  expect(blockOf("clients/typescript/README.md: Serving")).toContain(blockOf("README.md: Sell"));
});

test("README.md shows the last line of npm test in its form", () => {
  expect(blockOf("README.md: Try it 3")).toMatch(/^\d+ passed, 0 failed\n$/);
  const program = readFileSync(join(root, "scripts/test.ts"), "utf8");
  expect(program).toMatch(/`\$\{passed\} passed, \$\{failed\} failed/);
});

test("docs/anchors.md has the contract's interface", () => {
  const documented = parseAbi(blockOf("docs/anchors.md: The contract").trim().split("\n"));
  const named = (abi: Abi) => abi.map((item) => toEventOrFunction(item as AbiFunction)).toSorted();
  expect(named(documented)).toEqual(named(anchorsAbi));
});

/** The signature of an ABI item, with its parameter names. */
const toEventOrFunction = ({ type, name, inputs }: AbiFunction) =>
  `${type} ${name}(${inputs.map((input) => `${input.type} ${"indexed" in input && input.indexed ? "indexed " : ""}${input.name}`)})`;

test("docs/contract.md has the signed messages and the functions of each step", () => {
  const contract = readFileSync(join(root, "contracts/src/Escrow.sol"), "utf8");
  for (const message of blockOf("docs/contract.md: Signatures").trim().split("\n")) {
    expect(contract).toContain(`"${message}"`);
  }
  const functions = new Set(
    escrowAbi.filter(({ type }) => type === "function").map((item) => (item as AbiFunction).name),
  );
  const steps = [...blockOf("docs/contract.md: Life cycle").matchAll(/: (\w+(?: · \w+)*) \(/g)].flatMap(
    ([, names = ""]) => names.split(" · "),
  );
  expect(steps.length).toBeGreaterThan(10);
  expect(steps.filter((name) => !functions.has(name))).toEqual([]);
});

test.each(["docs/log.md: Demand witnesses", "docs/witness.md: Set up"])("%s is a valid policy", (key) => {
  let keys = 0;
  const text = blockOf(key).replaceAll(/<vkey>|\S+\+[0-9a-f]{8}\+\S+/g, (_, at: number, whole: string) => {
    const isLog = /(^|\n)log $/.test(whole.slice(0, at));
    const type = isLog ? keyTypes.ed25519 : keyTypes.cosignature;
    return formatVerifierKey(
      noteKey(
        `key-${++keys}.example`,
        type,
        generateKeyPairSync("ed25519").publicKey.export({ format: "der", type: "spki" }).subarray(-32),
      ),
    );
  });
  expect(parsePolicy(text).quorum).not.toBe("");
  expect(keys).toBeGreaterThan(0);
});

test("docs/log.md shows an entry in its canonical form", () => {
  const [entry] = readBlocks("docs/log.md").filter(({ key }) => key === "docs/log.md: Entries");
  const hash = `0x${"5e".repeat(32)}` as const;
  const filled = entry?.text.trim().replaceAll("0x…", hash).replace("rcp_…", "rcp_01jd") ?? "";
  const decoded = decodeEntry(new TextEncoder().encode(filled));
  expect(decoded).toEqual({ kind: "receipt", v: 1, receipt: "rcp_01jd", document: hash, x402: hash });
});

test("docs/verified.md shows the record that proves a domain", () => {
  const [name, type, ...value] = blockOf("docs/verified.md: A domain 2").trim().split(/ {2}/);
  expect([name, type]).toEqual([`${proofLabel}.translator.example.`, "TXT"]);
  const { example } = description.components.schemas.DomainProof?.properties?.line ?? {};
  expect(example?.startsWith(JSON.parse(value.join(" ")).replace("...", ""))).toBe(true);
});
