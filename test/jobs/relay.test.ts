import { eq, sql } from "drizzle-orm";
import { encodeFunctionData, type Hex, keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { escrowAbi } from "../../abis/escrow.ts";
import type { OrderRow } from "../../db/ledger.ts";
import { queueRelay, type RelayRow } from "../../db/relays.ts";
import { relay, relayAttempt, relayer as relayerTable } from "../../db/schema.ts";
import { createRelayer } from "../../jobs/relay.ts";
import { termsOf } from "../../settlement/terms.ts";
import { startStack, type TestStack } from "../harness/stack.ts";
import { buyer, type ChainActions, chainActions, placeOrder, randomHash, until } from "./fixtures.ts";
import { forwardRequests, spawnWorker } from "./processes.ts";

let stack: TestStack;
let actions: ChainActions;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  actions = chainActions(stack.chain);
  await actions.allow(buyer);
});
afterEach(() => actions.node.setAutomine(true));
afterAll(() => stack.close());

const chain = () => stack.chain.chain;

function key(): Hex {
  const { relayerPrivateKey } = stack.config;
  if (!relayerPrivateKey) throw new Error("The stack has no relayer.");
  return relayerPrivateKey;
}
const wallet = () => privateKeyToAccount(key());
const newRelayer = () => createRelayer(stack.db, { chains: stack.config.chains, relayerPrivateKey: key() });
const nonceOf = () => actions.reader.getTransactionCount({ address: wallet().address });

async function fundedOrder(): Promise<OrderRow> {
  const row = await placeOrder(stack.db, chain());
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  return row;
}

async function deliveryCall(row: OrderRow, outputHash = randomHash()): Promise<Hex> {
  const args = await actions.signDelivery(row, outputHash);
  return encodeFunctionData({ abi: escrowAbi, functionName: "recordDeliveryWithSignature", args });
}

async function queue(
  row: OrderRow,
  data: Hex,
  intent = `${row.escrowId}:recordDelivery:1`,
): Promise<RelayRow> {
  return stack.db.transaction((tx) =>
    queueRelay(tx, { intent, chainId: chain().chain_id, orderId: row.id, to: chain().escrow_contract, data }),
  );
}

async function read({ id }: RelayRow): Promise<RelayRow> {
  const [row] = await stack.db.select().from(relay).where(eq(relay.id, id));
  if (!row) throw new Error("The relay is gone.");
  return row;
}

async function deliveriesOf(row: OrderRow): Promise<number> {
  const { deliveryCount } = await actions.reader.readContract({
    abi: escrowAbi,
    address: chain().escrow_contract,
    functionName: "getEscrow",
    args: [row.escrowId],
  });
  return deliveryCount;
}

describe("queueRelay", () => {
  test("the same intent twice is one row, whatever the second call says", async () => {
    const row = await fundedOrder();
    const [first, second] = [await queue(row, "0x11"), await queue(row, "0x22")];
    expect(second).toEqual(first);
    expect(first).toMatchObject({ status: "queued", data: "0x11" });
    await stack.db.delete(relay).where(eq(relay.id, first.id));
  });

  test("a rolled back transaction leaves neither a row nor a job", async () => {
    const row = await fundedOrder();
    const jobs = async () =>
      (await stack.db.execute(sql`select count(*)::int as n from graphile_worker.jobs`)).rows;
    const before = await jobs();
    await expect(
      stack.db.transaction(async (tx) => {
        await queueRelay(tx, {
          intent: `${row.escrowId}:never`,
          chainId: 777,
          orderId: row.id,
          to: chain().escrow_contract,
          data: "0x00",
        });
        throw new Error("the request fails after all");
      }),
    ).rejects.toThrow("the request fails after all");
    expect(await jobs()).toEqual(before);
    expect(await stack.db.select().from(relay).where(eq(relay.orderId, row.id))).toEqual([]);
  });
});

describe("the relayer", () => {
  test("two relayers at once send each of ten intents once", async () => {
    const rows = [];
    for (let index = 0; index < 10; index += 1) rows.push(await fundedOrder());
    const relays: RelayRow[] = [];
    for (const row of rows) relays.push(await queue(row, await deliveryCall(row)));
    const before = await nonceOf();
    const two = [newRelayer(), newRelayer()];
    await Promise.all(two.map((one) => one.relay(chain().chain_id)));
    await until(async () => {
      const states = await Promise.all(relays.map(read));
      return states.every(({ status }) => status === "mined");
    }, "all mined");
    expect(await nonceOf()).toBe(before + 10);
    for (const row of rows) expect(await deliveriesOf(row)).toBe(1);
  });

  test("a call that the contract refuses fails with the contract's reason, costs nothing, and may be asked for again", async () => {
    const row = await fundedOrder();
    const before = await nonceOf();
    const foreign = await deliveryCall({ ...row, escrowId: randomHash() });
    const refused = await queue(row, foreign);
    await newRelayer().relay(chain().chain_id);
    expect(await read(refused)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^InvalidSignature\(signer 0x[0-9a-f]{40}, digest 0x[0-9a-f]{64}\)/i),
    });
    expect(await nonceOf()).toBe(before);

    const again = await queue(row, await deliveryCall(row));
    expect(again).toMatchObject({ id: refused.id, status: "queued", error: null });
    await newRelayer().relay(chain().chain_id);
    expect((await read(refused)).status).toBe("mined");
    expect(await deliveriesOf(row)).toBe(1);
  });

  test("a transaction that reverts when mined fails with the contract's reason", async () => {
    const row = await fundedOrder();
    await actions.node.setAutomine(false);
    const queued = await queue(row, await deliveryCall(row));
    const done = newRelayer().relay(chain().chain_id);
    await until(async () => (await read(queued)).status === "signed", "it is sent");
    // The buyer releases in the same block and, paying more, comes first.
    await actions.writer.writeContract({
      abi: escrowAbi,
      address: chain().escrow_contract,
      functionName: "release",
      args: [termsOf(row)],
      account: buyer,
      chain: null,
      gas: 400_000n,
      maxPriorityFeePerGas: 10n ** 12n,
      maxFeePerGas: 10n ** 13n,
    });
    await actions.node.mine({ blocks: 1 });
    await done;
    expect(await read(queued)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^WrongStatus/),
    });
    expect(await deliveriesOf(row)).toBe(0);
  });

  test("a second call of an order that only fits once the first is mined waits for it", async () => {
    const row = await fundedOrder();
    const second = randomHash();
    const secondArgs = await actions.signDelivery(row, second, 2);
    const data = encodeFunctionData({
      abi: escrowAbi,
      functionName: "recordDeliveryWithSignature",
      args: secondArgs,
    });
    await queue(row, await deliveryCall(row));
    const later = await queue(row, data, `${row.escrowId}:recordDelivery:2`);
    await newRelayer().relay(chain().chain_id);
    expect((await read(later)).status).toBe("mined");
    expect(await deliveriesOf(row)).toBe(2);
  });

  test("an empty wallet keeps the intent queued and says so; funded, it sends it", async () => {
    const row = await fundedOrder();
    const full = await actions.reader.getBalance({ address: wallet().address });
    await actions.node.setBalance({ address: wallet().address, value: 1000n });
    const queued = await queue(row, await deliveryCall(row));
    const poor = newRelayer();
    await poor.relay(chain().chain_id);
    await poor.beat();
    expect((await read(queued)).status).toBe("queued");
    const [seen] = await stack.db.select().from(relayerTable);
    expect(seen).toMatchObject({ chainId: chain().chain_id, balance: 1000n });
    expect(seen?.address).toBe(wallet().address.toLowerCase());

    await actions.node.setBalance({ address: wallet().address, value: full });
    await poor.relay(chain().chain_id);
    expect((await read(queued)).status).toBe("mined");
  });

  test("an intent whose stored transaction can never be mined, its nonce used by another, is signed anew and sent once", async () => {
    const row = await fundedOrder();
    const data = await deliveryCall(row);
    const queued = await queue(row, data);
    const nonce = await nonceOf();
    const rawTransaction = await wallet().signTransaction({
      type: "eip1559",
      chainId: chain().chain_id,
      to: chain().escrow_contract,
      data,
      nonce,
      gas: 300_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
    });
    await stack.db
      .update(relay)
      .set({
        status: "signed",
        sender: wallet().address,
        nonce,
        transactionHash: keccak256(rawTransaction),
      })
      .where(eq(relay.id, queued.id));
    await stack.db.insert(relayAttempt).values({
      relayId: queued.id,
      sender: wallet().address,
      nonce,
      rawTransaction,
      transactionHash: keccak256(rawTransaction),
      signedBlock: 0n,
    });
    const other = await actions.writer.sendTransaction({
      account: wallet(),
      to: wallet().address,
      value: 0n,
      nonce,
      chain: null,
    });
    await actions.confirm(other);
    await newRelayer().relay(chain().chain_id);
    const after = await read(queued);
    expect(after).toMatchObject({ status: "mined", nonce: nonce + 1 });
    expect(after.transactionHash).not.toBe(keccak256(rawTransaction));
    expect(await deliveriesOf(row)).toBe(1);
  });
});

describe("a worker killed while it relays", () => {
  test("after storing and before sending: the next one sends the stored transaction, once", async () => {
    const row = await fundedOrder();
    const before = await nonceOf();
    const proxy = await forwardRequests(chain().rpc_url, { hold: "eth_sendRawTransaction" });
    const first = spawnWorker({ ...stack.env, [`RPC_URL_${chain().chain_id}`]: proxy.url });
    const queued = await queue(row, await deliveryCall(row));
    await until(async () => proxy.held.length > 0, "the worker sends");
    await first.end("SIGKILL");
    await proxy.close();
    const stored = await read(queued);
    expect(stored.status).toBe("signed");
    expect(await nonceOf()).toBe(before);

    const second = spawnWorker(stack.env);
    await until(async () => (await read(queued)).status === "mined", "the next worker has sent it");
    await second.end("SIGTERM");
    expect(second.ended()).toBe(0);
    expect((await read(queued)).transactionHash).toBe(stored.transactionHash);
    const receipt = await actions.reader.getTransactionReceipt({ hash: stored.transactionHash ?? "0x" });
    expect(receipt.status).toBe("success");
    expect(await nonceOf()).toBe(before + 1);
    expect(await deliveriesOf(row)).toBe(1);
  });

  test("after sending and before it is mined: the next one waits for the same transaction", async () => {
    const row = await fundedOrder();
    const before = await nonceOf();
    await actions.node.setAutomine(false);
    const first = spawnWorker(stack.env);
    const queued = await queue(row, await deliveryCall(row));
    const pending = () =>
      actions.reader.getTransactionCount({ address: wallet().address, blockTag: "pending" });
    await until(async () => (await pending()) === before + 1, "the node has the transaction");
    await first.end("SIGKILL");
    const stored = await read(queued);
    expect(stored.status).toBe("signed");

    const second = spawnWorker(stack.env);
    await until(async () => second.output().includes("worker ready"), "the next worker is ready");
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await pending()).toBe(before + 1);
    await actions.node.setAutomine(true);
    await actions.node.mine({ blocks: 1 });
    await until(async () => (await read(queued)).status === "mined", "it is mined");
    await second.end("SIGTERM");
    expect((await read(queued)).transactionHash).toBe(stored.transactionHash);
    expect(await nonceOf()).toBe(before + 1);
    expect(await deliveriesOf(row)).toBe(1);
  });
});
