import { like } from "drizzle-orm";
import { pino } from "pino";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anchorsAbi } from "../../abis/anchors.ts";
import { readIndexedBlocks } from "../../db/chain-index.ts";
import { relay } from "../../db/schema.ts";
import { createRelayer } from "../../jobs/relay/relayer.ts";
import { createAnchoring } from "../../jobs/tlog/anchor.ts";
import { verifyCheckpoint } from "../../protocol/tlog/verify.ts";
import { localAccounts } from "../../tools/stack/anvil.ts";
import { localRelayerKey } from "../../tools/stack/local-chain.ts";
import { blockOf } from "../harness/documents/blocks.ts";
import { openFolder } from "../harness/documents/programs.ts";
import { settleOneOrder } from "../harness/flows/life.ts";
import { until } from "../harness/jobs/ledger.ts";
import { queueFacts, startSequencer } from "../harness/jobs/tlog.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

let stack: TestStack;
beforeAll(async () => {
  stack = await startStack({ env: { ANCHOR_EVERY: "1" } });
});
afterAll(async () => {
  reader.close();
  await stack?.close();
});
const reader = openFolder();

type Listed = {
  size: number;
  root: string;
  publisher: string;
  block_hash: `0x${string}`;
  transaction_hash: `0x${string}`;
  confirmed: boolean;
};

const contract = () => stack.chain.chain.anchors?.contract as `0x${string}`;
const publisher = localAccounts.relayer.address;

async function list(query = ""): Promise<{ items: Listed[]; next_cursor: string | null }> {
  const response = await fetch(`${stack.baseUrl}/log/anchors${query}`);
  expect(response.status).toBe(200);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  return (await response.json()) as { items: Listed[]; next_cursor: string | null };
}

/** Returns the log's checkpoint, verified by its own key. */
async function readCheckpoint() {
  const read = async (path: string) => (await fetch(`${stack.baseUrl}/log/${path}`)).text();
  const [note, vkey] = await Promise.all([read("checkpoint"), read("vkey")]);
  const opened = verifyCheckpoint(note, { vkey: vkey.trim() });
  if (!opened.valid) throw new Error(opened.message);
  return opened.checkpoint;
}

/** Checks listed anchors from the chain and the log's key only, with the program of docs/anchors.md. */
async function verify(...items: Listed[]): Promise<{ valid: boolean }[]> {
  const read = async (path: string) => (await fetch(`${stack.baseUrl}/log/${path}`)).text();
  const { publicClient } = stack.chain;
  const receipts = items.map(({ transaction_hash: hash }) => publicClient.getTransactionReceipt({ hash }));
  const events = (await Promise.all(receipts)).map(({ logs: [log, ...others] }) => {
    expect(others).toEqual([]);
    return { address: log?.address, topics: log?.topics, data: log?.data };
  });
  const [note, vkey] = await Promise.all([read("checkpoint"), read("vkey")]);
  const known = { note, vkey: vkey.trim(), contract: contract(), publisher };
  const [imports = "", program = ""] = blockOf("docs/anchors.md: Checking an anchor").split("\n\n");
  const text = `${imports}
    const { note, vkey, contract, publisher } = ${JSON.stringify(known)};
    const results = [];
    for (const event of ${JSON.stringify(events)}) {
      ${program.replace("https://market.example", stack.baseUrl).replace(/^verifyAnchor\(.*\)/m, "results.push($&)")}
    }
    console.log(JSON.stringify(results));`;
  return JSON.parse(await reader.runProgram(text));
}

test("the worker anchors the log as it grows, and anybody can check each anchor by the chain and the log's key", async () => {
  const first = await until(
    async () => (await list()).items.find(({ confirmed }) => confirmed),
    "the worker's keys are logged and anchored",
  );
  expect(first.publisher).toBe(publisher);
  await settleOneOrder(stack, `2.${"5".padEnd(stack.chain.chain.token.decimals, "0")}`);
  const { size } = await readCheckpoint();
  const items = await until(async () => {
    const page = await list("?limit=100");
    return (page.items[0]?.size ?? 0) >= size && page.items;
  }, "the receipts' tree is anchored");
  expect(items.length).toBeGreaterThan(1);
  expect(items.map((item) => item.size)).toEqual(items.map((item) => item.size).toSorted((a, b) => b - a));
  expect(new Set(items.map((item) => item.size)).size).toBe(items.length);
  expect(await verify(...items)).toEqual(items.map(() => expect.objectContaining({ valid: true })));

  const paged: number[] = [];
  for (let query: string | null = "?limit=1"; query; ) {
    const page = await list(query);
    paged.push(...page.items.map((item) => item.size));
    query = page.next_cursor && `?limit=1&cursor=${page.next_cursor}`;
  }
  expect(paged).toEqual(items.map((item) => item.size));
});

test("another publisher's anchor is not listed, and a malformed query is refused", async () => {
  const outsider = privateKeyToAccount(generatePrivateKey());
  await stack.chain.fund(outsider);
  const before = await list();
  const hash = await stack.chain.wallet(outsider).writeContract({
    abi: anchorsAbi,
    address: contract(),
    functionName: "anchor",
    args: [`0x${"1".repeat(64)}`, 1n],
  });
  const { blockNumber } = await stack.chain.publicClient.waitForTransactionReceipt({ hash });
  await until(async () => {
    const indexed = await readIndexedBlocks(stack.db);
    return (indexed.get(stack.chain.chain.chain_id)?.block ?? 0n) >= blockNumber;
  }, "the outsider's block is indexed");
  expect(await list()).toEqual(before);
  for (const query of ["?limit=0", "?limit=x", "?cursor=x", "?sort=up"]) {
    const response = await fetch(`${stack.baseUrl}/log/anchors${query}`);
    expect([query, response.status]).toEqual([query, 400]);
    expect(await response.json()).toMatchObject({ error: { code: "invalid_request" } });
  }
});

test("an anchor whose block leaves the chain leaves the list, and is there once when it is mined again", async () => {
  await stack.worker?.stop();
  const { db, chain, config } = stack;
  // The stopped worker first finishes its work in progress.
  const relayer = createRelayer(db, { chains: [chain.chain], relayerPrivateKey: localRelayerKey });
  await relayer.relay(chain.chain.chain_id);
  const before = await until(async () => {
    const [{ items }, relays] = await Promise.all([
      list("?limit=100"),
      db.select().from(relay).where(like(relay.key, "log:anchor:%")),
    ]);
    return items.length === relays.length && items;
  }, "what was anchored is listed");
  const sequencer = await startSequencer(db, config);
  await queueFacts(db, 1);
  await sequencer.run();
  const snapshot = await chain.node.snapshot();
  const settings = { every: 0, log: pino({ level: "silent" }) };
  expect(await createAnchoring(db, chain.chain, publisher, settings)()).toBe("queued");
  await relayer.relay(chain.chain.chain_id);
  const count = before.length + 1;
  const newest = () =>
    until(async () => {
      const { items } = await list("?limit=100");
      return items.length === count && items[0];
    }, "the anchor is listed");
  const first = await newest();

  await chain.node.revert({ id: snapshot });
  await chain.node.mine({ blocks: 3 });
  await until(async () => (await list("?limit=100")).items.length === count - 1, "the anchor is not listed");
  await relayer.beat();
  await relayer.relay(chain.chain.chain_id);
  const again = await newest();
  expect(again.size).toBe(first.size);
  expect(again.block_hash).not.toBe(first.block_hash);
  expect(await verify(again)).toMatchObject([{ valid: true }]);
});
