import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issuerOf } from "../../receipts/issuer.ts";
import { createKeyring } from "../../receipts/keyring.ts";
import {
  signDocument,
  signRecordStatement,
  signStatusList,
  signX402Offer,
  signX402Receipt,
} from "../../receipts/sign.ts";
import { createSigningKey, didDocumentOf } from "../../receipts/signing-keys.ts";
import { runVerify } from "../../scripts/verify/command.ts";
import { ourProgram } from "../harness/programs.ts";
import { type Chain, startChain } from "../harness/receipts/chain.ts";
import {
  hash,
  ISSUED_AT,
  type Issuer,
  KEY_CREATED,
  sampleDocument,
  sampleOffer,
  sampleReceipt,
  sampleRecord,
  sampleStatusList,
  serve,
  startIssuer,
} from "../harness/receipts/documents.ts";

let issuer: Issuer;
let chain: Chain;
let folder: string;
/** The API's receipt object of a real release, and its parts. */
let receipt: Awaited<ReturnType<typeof receiptObject>>;

async function receiptObject(fields: { transaction?: string } = {}) {
  const document = signDocument(sampleDocument(issuer, chain.released), issuer.key, issuer.did);
  const statement = { ...sampleReceipt(issuer), transaction: chain.released.transaction, ...fields };
  const signature = await signX402Receipt(statement, issuer.key, issuer.did);
  return {
    id: "rcp_1",
    claim: "released",
    document,
    x402_receipt: { format: "jws", signature },
    transaction: { chain_id: 31337, hash: document.transaction },
    revoked: false,
    created_at: document.issued_at,
  };
}

beforeAll(async () => {
  issuer = await startIssuer();
  chain = await startChain();
  folder = await mkdtemp(join(tmpdir(), "receipts-"));
  receipt = await receiptObject();
});
afterAll(async () => {
  await Promise.all([issuer.close(), chain.stop(), rm(folder, { recursive: true })]);
});

type ProgramOutput = { code: number | null; out: string; err: string };

/** Runs the command in this process. */
async function verify(args: string[], input = ""): Promise<ProgramOutput> {
  const output = { out: "", err: "" };
  const code = await runVerify(args, {
    readInput: async () => input,
    print: (lines) => {
      output.out += `${lines}\n`;
    },
    complain: (lines) => {
      output.err += `${lines}\n`;
    },
  });
  return { code, ...output };
}

/** Runs the command as a program. */
async function runProgram(args: string[], input: string): Promise<ProgramOutput> {
  const child = spawn(process.execPath, ourProgram("scripts/verify.ts", ...args), { stdio: "pipe" });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

const verifyInput = (input: unknown, ...args: string[]) =>
  verify(["-", "--issuer", issuer.did, ...args], typeof input === "string" ? input : JSON.stringify(input));

test.each<[code: number, what: string, args: () => string[], input: () => string]>([
  [
    0,
    "a good receipt",
    () => ["-", "--issuer", issuer.did, "--rpc", chain.rpc],
    () => JSON.stringify(receipt),
  ],
  [
    0,
    "a statement of a record",
    () => ["-", "--record", "--issuer", issuer.did],
    () => JSON.stringify(signRecordStatement(sampleRecord(issuer), issuer.key, issuer.did)),
  ],
  [
    1,
    "a changed amount",
    () => ["-", "--issuer", issuer.did],
    () => JSON.stringify({ ...receipt.document, amount: "1" }),
  ],
  [
    1,
    "a doubled member",
    () => ["-", "--issuer", issuer.did],
    () => JSON.stringify(receipt.document).replace('"amount"', '"amount":"1","amount"'),
  ],
  [1, "no receipt", () => ["-", "--issuer", issuer.did], () => ""],
  [2, "no issuer", () => ["-"], () => JSON.stringify(receipt)],
])("the program exits %i for %s, with the output of the command", async (code, _what, args, input) => {
  const output = await runProgram(args(), input());
  expect(output).toEqual(await verify(args(), input()));
  expect(output.code).toBe(code);
});

/** Control characters of terminals, except line ends. */
const acts = /(?!\n)[\p{Cc}\p{Cf}]/u;
const hostile = "\u001b]0;owned\u0007\u009b2J\u202e\nx402 receipt: signature valid";

describe("foreign text is escaped, and begins no line:", () => {
  test.each<[string, () => unknown]>([
    ["a member of a document", () => ({ ...receipt.document, issuer: hostile })],
    ["a member's name", () => ({ ...receipt.document, [hostile]: 1 })],
    ["a header of a JWS", () => `${Buffer.from(`{"${hostile}":`).toString("base64url")}.e30.AA`],
    ["no JSON", () => `{${hostile}`],
  ])("%s", async (_what, make) => {
    const { code, out } = await verifyInput(make());
    expect([code, out.match(acts), out.match(/^x402 receipt: signature valid/m)]).toEqual([1, null, null]);
  });

  test("a DID document", async () => {
    const other = await serve((_, response) => response.end(JSON.stringify({ id: hostile })));
    const did = issuerOf(other.url);
    const document = signDocument(
      { ...sampleDocument(issuer, chain.released), issuer: did },
      issuer.key,
      did,
    );
    const { out } = await verify(["-", "--issuer", did], JSON.stringify(document));
    expect(out).toContain("\\u001b]0;owned");
    expect(out).not.toMatch(acts);
    await other.close();
  });
});

describe("npm run verify", () => {
  test("exits 0 for a good receipt: both signatures valid, and the chain agrees", async () => {
    const { code, out } = await verifyInput(receipt, "--rpc", chain.rpc, "--confirmations", "2");
    expect(out).toMatch(/^settlement document: signature valid\n {2}key +did:web:localhost%3A\d+#key-2-mb$/m);
    expect(out).toMatch(/^ {2}states +the escrow was released to 0x/m);
    expect(out).toMatch(/^x402 receipt: signature valid\n {2}key +did:web:localhost%3A\d+#key-2$/m);
    expect(out).toMatch(/^chain: agrees, \d+ confirmations$/m);
    expect(code).toBe(0);
  });

  test("shows that the issuer stands by the receipt, or that this was not checked", async () => {
    const { out } = await verifyInput(receipt);
    expect(out.match(/^ {2}status +good: the issuer has not revoked it$/gm)).toHaveLength(2);
    const skipped = await verifyInput(receipt, "--skip-status");
    expect(skipped.out.match(/^ {2}status +not checked$/gm)).toHaveLength(2);
    expect(skipped.code).toBe(0);
  });

  test("exits 1 for a receipt on the issuer's list, and where the list is unavailable", async () => {
    const bodies: Record<string, () => object | null> = {
      "/.well-known/did.json": () => didDocumentOf(did, [own]),
      "/.well-known/earnest-receipt-status.json": () => list,
    };
    const { url, close } = await serve((request, response) => {
      const body = bodies[request.url ?? ""]?.();
      response.writeHead(body ? 200 : 404).end(JSON.stringify(body ?? {}));
    });
    const did = issuerOf(url);
    const own = createSigningKey("key-1", KEY_CREATED);
    const document = signDocument(sampleDocument({ url, did }, chain.released), own, did);
    let list: object | null = null;
    const run = () => verify(["-", "--issuer", did], JSON.stringify(document));
    const unknown = await run();
    expect(unknown.out).toMatch(/^settlement document: signature valid$/m);
    expect(unknown.out).toMatch(/^ {2}status +unknown, status_unavailable$/m);
    const revoked = [{ id: document.id, revoked_at: ISSUED_AT, x402_sha256: null }];
    list = signStatusList(sampleStatusList({ did }, { revoked }), own, did);
    const taken = await run();
    expect(taken.out).toMatch(/^settlement document: signature valid, but revoked, receipt_revoked$/m);
    expect([unknown.code, taken.code]).toEqual([1, 1]);
    await close();
  });

  test("compares the escrow contract with the expected one", async () => {
    const { contract } = chain.released;
    const known = await verifyInput(receipt, "--rpc", chain.rpc, "--contract", contract);
    expect(known.out).toMatch(/^chain: agrees/m);
    const other = await verifyInput(receipt, "--rpc", chain.rpc, "--contract", `0x${"12".repeat(20)}`);
    expect(other.out).toMatch(/^chain: disagrees, contract_mismatch$/m);
    expect([known.code, other.code]).toEqual([0, 1]);
  });

  test("checks a key log, prints its head, and detects a history that differs from the pinned one", async () => {
    const ring = createKeyring(KEY_CREATED);
    const { url, close } = await serve((request, response) => {
      const did = issuerOf(url);
      const log = { type: "KeyLog", version: 1, issuer: did, entries: ring.log };
      const isLog = request.url === "/.well-known/earnest-key-log.json";
      response.end(JSON.stringify(isLog ? log : didDocumentOf(did, ring.keys)));
    });
    const args = ["--key-log", "--issuer", issuerOf(url)];
    const good = await verify(args);
    expect(good.out).toMatch(/^key log: valid, 1 entry\n {2}key-1 {2}from 2026-11-01/);
    const head = /^ {2}head {2}(0x[0-9a-f]{64})$/m.exec(good.out)?.[1] ?? "";
    const pinned = await verify([...args, "--pin", head]);
    expect(pinned.out).toMatch(/^key log: valid, 1 entry, including the pinned one$/m);
    const other = await verify([...args, "--pin", hash("99")]);
    expect(other.out).toMatch(/^key log: invalid, key_log_rewritten$/m);
    expect([good.code, pinned.code, other.code]).toEqual([0, 0, 1]);
    await close();
  });

  test("prints of a good record statement its agent, its score and its expiry", async () => {
    const statement = signRecordStatement(sampleRecord(issuer), issuer.key, issuer.did);
    for (const args of [[], ["--agent", "translator"], ["--agent", statement.agent.id]]) {
      const { code, out } = await verifyInput(statement, "--record", ...args);
      expect(out).toMatch(/^agent record: signature valid$/m);
      expect(out).toMatch(/^ {2}agent +translator \(agt_/m);
      expect(out).toMatch(/^ {2}score +300, up to 900, by earnest-score-1$/m);
      expect(code).toBe(0);
    }
  });

  test("exits 1 for another agent's record, a changed one, an expired one, and a receipt for a record or the reverse", async () => {
    const sign = (fields = {}) => signRecordStatement(sampleRecord(issuer, fields), issuer.key, issuer.did);
    const cases: [string, object, ...string[]][] = [
      ["agent record: signature invalid, unexpected_value", sign(), "--record", "--agent", "forger"],
      [
        "agent record: signature invalid, invalid_signature",
        { ...sign(), outcomes_root: hash("99") },
        "--record",
      ],
      [
        "agent record: signature valid, but expired, statement_expired",
        sign({ valid_until: ISSUED_AT }),
        "--record",
      ],
      ["agent record: signature invalid, wrong_kind", receipt.document, "--record"],
      ["settlement document: signature invalid, wrong_kind", sign(), "--log", "skip"],
    ];
    for (const [line, input, ...args] of cases) {
      const { code, out } = await verifyInput(input, ...args);
      expect(out.split("\n")[0]).toBe(line);
      expect(code).toBe(1);
    }
  });

  test("reads a file and a URL, and shows that the chain was not checked", async () => {
    const file = join(folder, "receipt.json");
    await writeFile(file, JSON.stringify(receipt.document, null, 2));
    const { url, close } = await serve((_request, response) => response.end(JSON.stringify(receipt)));
    for (const source of [file, `${url}/api/v1/receipts/rcp_1`]) {
      const { code, out } = await verify([source, "--issuer", issuer.did]);
      expect(out).toMatch(/signature valid/);
      expect(out).toMatch(/^chain: not checked/m);
      expect(code).toBe(0);
    }
    await close();
  });

  test("reads a compact JWS and x402's envelope", async () => {
    for (const input of [`${receipt.x402_receipt.signature}\n`, receipt.x402_receipt]) {
      const { code, out } = await verifyInput(input);
      expect(out).toMatch(/^x402 receipt: signature valid$/m);
      expect(code).toBe(0);
    }
  });

  test.each<[string, RegExp, () => unknown]>([
    [
      "a changed amount",
      /^settlement document: signature invalid, invalid_signature$/m,
      () => ({ ...receipt, document: { ...receipt.document, amount: "1" } }),
    ],
    [
      "an x402 receipt of another transaction",
      /^x402 receipt: signature invalid, unexpected_value$/m,
      () => receiptObject({ transaction: hash("99") }),
    ],
    [
      "a receipt that the service revoked",
      /^service: reports this receipt as revoked$/m,
      () => ({ ...receipt, revoked: true }),
    ],
    [
      "an offer",
      /^x402 receipt: signature invalid, wrong_kind$/m,
      () => signX402Offer(sampleOffer(issuer), issuer.key, issuer.did),
    ],
    [
      "a doubled member",
      /^receipt: cannot be read\n.*twice/m,
      () => JSON.stringify(receipt.document).replace('"amount"', '"amount":"1","amount"'),
    ],
    [
      "what is no receipt",
      /^settlement document: signature invalid, wrong_kind$/m,
      () => ({ hello: "world" }),
    ],
    ["text", /^x402 receipt: signature invalid, malformed$/m, () => "hello"],
  ])("exits 1 for %s", async (_what, line, input) => {
    const { code, out } = await verifyInput(await input());
    expect(out).toMatch(line);
    expect(code).toBe(1);
  });

  test("exits 1 when the signature is good and the chain disagrees", async () => {
    const statement = sampleDocument(issuer, { ...chain.released, amount: "2500001" });
    const document = signDocument(statement, issuer.key, issuer.did);
    const { code, out } = await verifyInput(document, "--rpc", chain.rpc);
    expect(out).toMatch(/^settlement document: signature valid$/m);
    expect(out).toMatch(/^chain: disagrees, amount_mismatch$/m);
    expect(code).toBe(1);
  });

  test("exits 1 when the chain is required and unreachable", async () => {
    const down = await verifyInput(receipt.document, "--rpc", "http://127.0.0.1:1");
    expect(down.out).toMatch(/^chain: not checked, chain_unreachable$/m);
    const bare = await verifyInput(receipt.x402_receipt, "--rpc", chain.rpc);
    expect(bare.out).toMatch(/^chain: not checked, only a settlement document/m);
    expect([down.code, bare.code]).toEqual([1, 1]);
  });

  test("exits 1 when the keys are unavailable, and does not call the signature invalid", async () => {
    const statement = sampleDocument({ url: "http://localhost:1", did: "did:web:localhost%3A1" });
    const document = signDocument(statement, issuer.key, "did:web:localhost%3A1");
    const { code, out } = await verify(["-", "--issuer", "did:web:localhost%3A1"], JSON.stringify(document));
    expect(out).toMatch(/^settlement document: signature not checked, keys_unavailable$/m);
    expect(code).toBe(1);
  });

  test("exits 1 when the receipt cannot be read", async () => {
    for (const source of [join(folder, "none.json"), `${issuer.url}/none`]) {
      const { code, out } = await verify([source, "--issuer", issuer.did]);
      expect(out).toMatch(/^receipt: cannot be read$/m);
      expect(code).toBe(1);
    }
  });

  test("exits 1 when another issuer is expected", async () => {
    const { code, out } = await verify(
      ["-", "--issuer", "did:web:localhost%3A1"],
      JSON.stringify(receipt.document),
    );
    expect(out).toMatch(/signature invalid, foreign_issuer/);
    expect(code).toBe(1);
  });

  test.each([
    ["no receipt", ["--issuer", "did:web:market.example"]],
    ["two receipts", ["a", "b", "--issuer", "did:web:market.example"]],
    ["no issuer", ["-"]],
    ["an unknown option", ["-", "--issuer", "did:web:market.example", "--trust"]],
    ["no depth", ["-", "--issuer", "did:web:market.example", "--confirmations", "0"]],
    ["an address that is no http", ["-", "--issuer", "did:web:market.example", "--rpc", "ws://localhost"]],
    ["a contract that is no address", ["-", "--issuer", "did:web:market.example", "--contract", "0x12"]],
    ["a record and the key log", ["-", "--record", "--key-log", "--issuer", "did:web:market.example"]],
    ["an agent of a receipt", ["-", "--issuer", "did:web:market.example", "--agent", "translator"]],
    ["a receipt and the key log", ["-", "--key-log", "--issuer", "did:web:market.example"]],
    ["a pin of a receipt", ["-", "--issuer", "did:web:market.example", "--pin", `0x${"00".repeat(32)}`]],
    ["an issuer that is no did:web name", ["-", "--issuer", "market.example"]],
  ])("exits 2 with the usage for %s", async (_what, args) => {
    const { code, err, out } = await verify(args);
    expect(err).toMatch(/Usage: npm run verify/);
    expect(out).toBe("");
    expect(code).toBe(2);
  });
});
