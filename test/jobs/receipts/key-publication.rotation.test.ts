import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKeyFile, readReceiptSigner } from "../../../config/keys/signing-key.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { order, receipt } from "../../../db/schema.ts";
import { issuerOf, verifyKeyLog, verifyReceipt, verifyX402Receipt } from "../../../receipts/index.ts";
import { parseKeyring } from "../../../receipts/keyring.ts";
import { runKeys } from "../../../scripts/keys.ts";
import {
  buyer,
  type ChainActions,
  chainActions,
  deliver,
  placeOrder,
  randomHash,
  until,
} from "../../harness/jobs/ledger.ts";
import { spawnWorker } from "../../harness/jobs/processes.ts";
import { startStack, type TestStack } from "../../harness/stack.ts";

const folder = mkdtempSync(join(tmpdir(), "earnest-keys-"));
const soon = (seconds: number) => new Date(Date.now() + 1000 * seconds);
let stack: TestStack;
let actions: ChainActions;
let issuer: string;

beforeAll(async () => {
  stack = await startStack();
  actions = chainActions(stack.chain);
  issuer = issuerOf(stack.config.publicUrl);
  await actions.allow(buyer);
});
afterAll(async () => {
  await stack?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `npm run keys` on the file of the stack. */
const keys = (...args: string[]) => runKeys(args, { SIGNING_KEY_FILE: stack.config.signingKeyFile });

const readJson = async (path: string) => (await (await fetch(`${stack.baseUrl}${path}`)).json()) as never;
const publishedKids = async () => {
  const { keys: found } = (await readJson("/.well-known/jwks.json")) as { keys: { kid: string }[] };
  return found.map(({ kid }) => kid.split("#")[1]);
};
const statusOf = async (row: OrderRow) =>
  (await stack.db.select().from(order).where(eq(order.id, row.id)))[0]?.status;
const receiptsOf = (row: OrderRow) =>
  stack.db.select().from(receipt).where(eq(receipt.orderId, row.id)).orderBy(asc(receipt.createdAt));

async function fundedOrder(): Promise<OrderRow> {
  const row = await placeOrder(stack.db, stack.chain.chain);
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  await until(async () => (await statusOf(row)) === "funded", "the order is funded");
  return row;
}

describe("in a running stack", () => {
  let row: OrderRow;
  let head: string;

  beforeAll(async () => {
    row = await fundedOrder();
  });

  const verifyBoth = async (options = {}) => {
    const found = await receiptsOf(row);
    const results = await Promise.all(
      found.map(({ document }) => verifyReceipt(document, { issuer, ...options })),
    );
    const jws = found.at(-1)?.x402Receipt;
    return [...results, ...(jws ? [await verifyX402Receipt(jws, { issuer })] : [])];
  };

  test("the first key, its log and the list of revoked receipts exist from the worker's start", async () => {
    expect(await verifyBoth()).toMatchObject([{ valid: true, status: "good", keyId: `${issuer}#key-1-mb` }]);
    const log = await verifyKeyLog(undefined, { issuer });
    if (!log.valid) throw new Error(log.message);
    expect(log).toMatchObject({ entries: 1, doubtful: [] });
    head = log.head;
  });

  test.each(["/.well-known/earnest-key-log.json", "/.well-known/earnest-receipt-status.json"])(
    "%s is served with caching and revalidation",
    async (path) => {
      const answer = await fetch(`${stack.baseUrl}${path}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
      const etag = answer.headers.get("etag") ?? "";
      expect(etag).toMatch(/^"/);
      const again = await fetch(`${stack.baseUrl}${path}`, { headers: { "if-none-match": etag } });
      expect([again.status, await again.text()]).toEqual([304, ""]);
    },
  );

  test("a rotation is applied without a restart, and receipts from before and after it verify", async () => {
    // The programs have read the file long before the key signs, on a slow machine too.
    const begin = soon(30);
    expect(keys("rotate", "--begin", begin.toISOString(), "--overlap", "1")).toMatchObject({
      code: 0,
      err: expect.arrayContaining([
        expect.stringMatching(/^key-2 is created\. It is published now and signs from /),
      ]),
    });
    await until(async () => (await publishedKids()).includes("key-2"), "the new key is published");
    expect(Date.now(), "published before it signs").toBeLessThan(begin.getTime());
    await until(async () => Date.now() > begin.getTime(), "the new key signs");

    const outputHash = randomHash();
    await deliver(stack.db, row, outputHash);
    await actions.confirm(await actions.recordDelivery(row, outputHash));
    await actions.confirm(await actions.send(row, buyer, "release"));
    await until(async () => (await statusOf(row)) === "released", "the order is released");
    expect(await verifyBoth()).toMatchObject([
      { valid: true, claim: "funded", keyId: `${issuer}#key-1-mb`, status: "good" },
      { valid: true, claim: "released", keyId: `${issuer}#key-2-mb`, status: "good" },
      { valid: true, kind: "x402_receipt", keyId: `${issuer}#key-2`, status: "good" },
    ]);
    expect(await verifyKeyLog(undefined, { issuer, pin: head })).toMatchObject({ valid: true, entries: 3 });
  });

  test("an unusable file is reported and changes nothing; once repaired, it is applied", async () => {
    const file = stack.config.signingKeyFile;
    const logOf = () => readFileSync(stack.worker?.logFile ?? "", "utf8");
    chmodSync(file, 0o644);
    await until(async () => logOf().includes("signing_keys_unusable"), "the worker tells of it");
    expect(logOf().match(/signing_keys_unusable/g)).toHaveLength(1);
    await fundedOrder();
    chmodSync(file, 0o600);
    expect(keys("retire", "key-1").code).toBe(0);
    await until(async () => {
      const log = await verifyKeyLog(undefined, { issuer });
      return log.valid && log.entries === 4;
    }, "the retirement is published");
    expect((await verifyBoth()).map(({ valid }) => valid)).toEqual([true, true, true]);
  });

  test("a worker with an older copy of the file is refused, and so is a new key in its place", async () => {
    const file = stack.config.signingKeyFile;
    const old = readdirSync(dirname(file))
      .filter((name) => name.startsWith(`${basename(file)}.`))
      .sort();
    expect(old).toHaveLength(2);
    const fresh = join(folder, "fresh.json");
    createKeyFile(fresh);
    for (const [copy, message] of [
      [
        join(dirname(file), old[0] ?? ""),
        /^The key file's log ends with entry 1, but 4 entries are published/,
      ],
      [fresh, /^Entry 1 of the key file's log differs from the published entry/],
    ] as const) {
      const worker = spawnWorker({ ...stack.env, SIGNING_KEY_FILE: copy });
      await until(async () => worker.ended() !== null, "the worker ends");
      expect(worker.ended()).toBe(1);
      expect(worker.output()).toMatch(message);
    }
  });

  test("signatures of compromised keys are refused unless the chain supports them, and another key signs the list again", async () => {
    // A second ago: entries of the log have whole seconds.
    const since = ["--since", soon(-1).toISOString()];
    const { code, err } = keys("compromise", "key-2", ...since);
    expect([code, err[0]]).toEqual([0, expect.stringMatching(/^key-3 is created and signs from now on/)]);
    await until(async () => !(await publishedKids()).includes("key-2"), "the key is known to be compromised");
    expect(await verifyBoth()).toMatchObject([
      { valid: true, status: "good" },
      { valid: false, code: "key_compromised" },
      { valid: false, code: "key_compromised" },
    ]);
    expect(keys("compromise", "key-1", ...since).code).toBe(0);
    await until(async () => {
      const list = (await readJson("/.well-known/earnest-receipt-status.json")) as {
        proof: { verificationMethod: string };
      };
      return list.proof.verificationMethod === `${issuer}#key-3-mb`;
    }, "the list is signed by the new key");
    const chain = { client: stack.chain.publicClient, contract: stack.chain.chain.escrow_contract };
    const compromisedSince = since[1];
    expect(await verifyBoth({ chain })).toMatchObject([
      { valid: true, status: "good", compromisedSince },
      { valid: true, status: "good", compromisedSince },
      { valid: false, code: "key_compromised" },
    ]);
    expect(await verifyKeyLog(undefined, { issuer, pin: head })).toMatchObject({ valid: true, entries: 7 });
    const [funded] = await receiptsOf(await fundedOrder());
    expect(await verifyReceipt(funded?.document, { issuer })).toMatchObject({
      valid: true,
      keyId: `${issuer}#key-3-mb`,
      compromisedSince: null,
    });
  });

  test("a worker signs with keys from the environment as with those of the file", async () => {
    const value = JSON.stringify(JSON.parse(readFileSync(stack.config.signingKeyFile, "utf8")));
    const worker = spawnWorker({
      ...stack.env,
      SIGNING_KEY_FILE: join(folder, "none"),
      SIGNING_KEYS: value,
      LOG_LEVEL: "info",
    });
    await until(
      async () => worker.ended() !== null || worker.output().includes("worker ready"),
      "the worker is ready",
    );
    await worker.end("SIGTERM");
    expect(worker.output()).toContain("worker ready");
    expect(worker.ended()).toBe(0);
    for (const { jwk } of parseKeyring(value).keys) expect(worker.output()).not.toContain(jwk.d);
  });

  test("no private key is in the database", async () => {
    const { keys: all } = readReceiptSigner(stack.config);
    for (const table of ["signing_key", "key_log", "receipt_status_list", "receipt"]) {
      const { rows } = await stack.db.$client.query(`select t::text from earnest.${table} t`);
      expect(rows.length, table).toBeGreaterThan(0);
      for (const { jwk } of all) expect(JSON.stringify(rows)).not.toContain(jwk.d);
    }
  });
});
