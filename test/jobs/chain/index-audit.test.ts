import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Chain } from "../../../config/config.ts";
import { readIndexedBlocks } from "../../../db/chain-index.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { indexAudit } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { auditIndex, newAuditMemory } from "../../../jobs/chain/index-audit.ts";
import { deploymentSchema } from "../../../tools/indexer/deployment-schema.ts";
import { findSchema } from "../../../tools/indexer/reindex.ts";
import { buyer, type ChainActions, chainActions, placeOrder, until } from "../../harness/jobs/ledger.ts";
import { startStack, type TestStack } from "../../harness/stack.ts";

type LogsRequest = { id: unknown; method: string; params: [{ fromBlock: string; toBlock: string }] };
type Answer = { result?: unknown[]; error?: unknown };

let stack: TestStack;
let actions: ChainActions;
let server: Server;
let nodeUrl: string;
/** The change that the proxy makes to the node's answer to a query for logs. */
let lie: (answer: Answer, range: { from: bigint; to: bigint }) => Answer;
let ranges: [bigint, bigint][] = [];

beforeAll(async () => {
  stack = await startStack({ worker: false, isKept: true });
  actions = chainActions(stack.chain);
  await actions.allow(buyer);
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const headers = { "content-type": "application/json" };
    let answer = (await (
      await fetch(stack.chain.rpcUrl, { method: "POST", headers, body })
    ).json()) as Answer;
    const { method, params, id } = JSON.parse(body) as LogsRequest;
    if (method === "eth_getLogs") {
      const range = { from: BigInt(params[0].fromBlock), to: BigInt(params[0].toBlock) };
      ranges.push([range.from, range.to]);
      answer = { jsonrpc: "2.0", id, ...lie(answer, range) } as Answer;
    }
    response.writeHead(200, headers).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  nodeUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await stack?.close();
});
beforeEach(() => {
  lie = (answer) => answer;
  ranges = [];
});

/** The schema that the indexer writes now. */
const schema = async () => sql.identifier(await findSchema(stack.db, deploymentSchema(stack.config)));
const position = async () => (await readIndexedBlocks(stack.db)).get(31_337);

async function funded(): Promise<OrderRow> {
  const row = await placeOrder(stack.db, stack.chain.chain);
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  return row;
}

/** Mines blocks until the earlier ones are final for the indexer. */
async function bury(): Promise<void> {
  const head = await actions.reader.getBlockNumber();
  await until(async () => {
    await actions.node.mine({ blocks: 35 });
    const now = await actions.reader.getBlockNumber();
    await until(async () => ((await position())?.block ?? 0n) >= now, `block ${now} indexed`);
    return ((await position())?.finalized ?? 0n) >= head;
  }, `block ${head} final`);
}

async function audit(memory = newAuditMemory()): Promise<Record<string, unknown>[]> {
  const alerts: Record<string, unknown>[] = [];
  const say = (about: Record<string, unknown>) => alerts.push(about);
  const chains = stack.config.chains.map((chain) => ({ ...chain, rpc_url: nodeUrl }));
  await auditIndex(
    stack.db,
    { chains },
    { log: { error: say, info: () => {} } as never, memory, checkAgainMs: 0 },
  );
  return alerts;
}

/** Removes these logs, as if the node had omitted them when the indexer asked. */
async function lose(row: OrderRow): Promise<void> {
  const of = await schema();
  await inTransaction(stack.db, async (tx) => {
    // Ponder's triggers are disabled here.
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`delete from ${of}.escrow_event where escrow_id = ${row.escrowId}`);
    await tx.execute(sql`delete from ${of}.escrow where escrow_id = ${row.escrowId}`);
  });
}

const isIndexed = async (row: OrderRow) =>
  (await stack.db.execute(sql`select from idx.escrow_event where escrow_id = ${row.escrowId}`)).rows.length >
  0;
const rowsOf = () => stack.db.select().from(indexAudit);
const forget = () => stack.db.delete(indexAudit);

async function status() {
  const answer = await (await fetch(`${stack.baseUrl}/api/v1/chain/status`)).json();
  const { index_state: state, index_reason: reason } = answer as Record<string, string | null>;
  return { state, reason };
}

test("a chain whose node is down does not delay the audit of the next", async () => {
  await bury();
  await forget();
  const [chain] = stack.config.chains as [Chain];
  const chains = [
    { ...chain, rpc_url: "http://127.0.0.1:1" },
    { ...chain, rpc_url: nodeUrl },
  ];
  await expect(auditIndex(stack.db, { chains }, { checkAgainMs: 0 })).rejects.toThrow("HTTP request failed");
  expect(await rowsOf()).toMatchObject([{ auditedTo: (await position())?.finalized, reason: null }]);
});

test("matching blocks are queried once, and in the end by one query a round", async () => {
  await funded();
  await bury();
  expect(await audit()).toEqual([]);
  const { finalized = 0n } = (await position()) ?? {};
  expect(await rowsOf()).toMatchObject([{ auditedTo: finalized, reason: null, rebuildRequestedAt: null }]);
  ranges = [];
  expect(await audit()).toEqual([]);
  expect(ranges).toEqual([]);
  await bury();
  expect(await audit()).toEqual([]);
  expect(ranges).toEqual([[finalized + 1n, (await position())?.finalized]]);
});

test("a range that the node refuses is halved until it answers, and none is left out", async () => {
  await forget();
  lie = (answer, { from, to }) =>
    to - from >= 100n
      ? { error: { code: -32005, message: "query returned more than 10000 results" } }
      : answer;
  const memory = newAuditMemory();
  await until(async () => {
    expect(await audit(memory)).toEqual([]);
    return (await rowsOf())[0]?.auditedTo === (await position())?.finalized;
  }, "all is audited");
  const answered = ranges.filter(([from, to]) => to - from < 100n);
  for (const [at, [from]] of answered.entries())
    if (at > 0) expect(from).toBe((answered[at - 1]?.[1] ?? 0n) + 1n);
});

test("a node that contradicts itself is reported, changes nothing, and causes no new index", async () => {
  await funded();
  await bury();
  await forget();
  let times = 0;
  lie = (answer) => (++times % 2 === 1 ? { result: [] } : answer);
  expect(await audit()).toMatchObject([{ alert: "node_contradicts_itself", chain_id: 31_337 }]);
  // The node omits the logs each time, and its receipts have them.
  lie = () => ({ result: [] });
  expect(await audit()).toMatchObject([{ alert: "node_contradicts_itself" }]);
  expect(await rowsOf()).toMatchObject([{ reason: null, rebuildRequestedAt: null }]);
  lie = (answer) => answer;
  expect(await audit()).toEqual([]);
});

test("the block of a mined relay without an event is queried before it is final", async () => {
  const row = await placeOrder(stack.db, stack.chain.chain);
  const receipt = await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  await until(async () => isIndexed(row), "the event is indexed");
  // The index records its progress a little after its rows.
  await until(async () => {
    ranges = [];
    await audit();
    return ranges.length === 0;
  }, "all final blocks are audited");
  await stack.db.execute(sql`
    insert into earnest.relay (id, key, chain_id, to_address, data, status, transaction_hash, mined_block)
    values ('rly_hint', 'hint', 31337, ${stack.chain.chain.escrow_contract.toLowerCase()}, '0x', 'mined',
      ${receipt.transactionHash}, ${receipt.blockNumber.toString()})`);
  ranges = [];
  expect(await audit()).toEqual([]);
  expect(ranges).toEqual([]);
  await lose(row);
  await stack.db.execute(sql`update earnest.index_audit set rebuild_requested_at = now(), index = 'another'`);
  await audit();
  ranges = [];
  expect(await audit()).toMatchObject([{ alert: "index_incomplete", rebuild: "not requested" }]);
  expect(ranges[0]).toEqual([receipt.blockNumber, receipt.blockNumber]);
  expect((await status()).state).toBe("incomplete");
  // No index is begun here. The indexer, which updates the metrics, restarts itself for a new one.
  const metrics = await (await fetch(`${stack.metricsUrl}/metrics/earnest`)).text();
  expect(metrics).toContain('earnest_index_incomplete{chain_id="31337"} 1\n');
  await stack.db.execute(sql`delete from earnest.relay where id = 'rly_hint'`);
});

test("events that the index lacks are reported, and the indexer begins a new index beside it, once", async () => {
  const [kept, lost] = [await funded(), await funded()];
  await bury();
  await forget();
  await lose(lost);
  expect([await isIndexed(kept), await isIndexed(lost)]).toEqual([true, false]);
  expect(await audit()).toMatchObject([{ alert: "index_incomplete", rebuild: "requested" }]);
  const { state, reason } = await status();
  expect(state).toBe("incomplete");
  expect(reason).toMatch(/lacks \d events that the chain has \(EscrowCreated of block \d+, transaction 0x/);

  // Concurrent readers see the old index, and then the new one.
  await until(async () => {
    expect(await isIndexed(kept)).toBe(true);
    return isIndexed(lost);
  }, "the new index has all events");
  expect(await audit()).toEqual([]);
  expect((await status()).state).not.toBe("incomplete");
  const rows = await rowsOf();
  expect(rows.filter(({ rebuildRequestedAt }) => rebuildRequestedAt)).toHaveLength(1);
  const indexes = async () =>
    (
      await stack.db.execute<{ name: string }>(
        sql`select schema_name as name from information_schema.schemata where schema_name ~ '^ponder_[0-9a-f]'`,
      )
    ).rows.map(({ name }) => name);
  await until(async () => (await indexes()).length === 1, "the old index is dropped");
  expect(await indexes()).toEqual([`${deploymentSchema(stack.config)}_2`]);

  // Within the hour no second index is begun.
  await lose(lost);
  await stack.db.execute(
    sql`update earnest.index_audit set audited_to = 0 where rebuild_requested_at is null`,
  );
  expect(await audit()).toMatchObject([{ alert: "index_incomplete", rebuild: "not requested" }]);
});
