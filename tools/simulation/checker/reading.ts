import { type Address, createPublicClient, erc20Abi, getAddress, type Hex, http } from "viem";
import { z } from "zod";
import { escrowAbi } from "../../../abis/escrow.ts";
import { callsOf, type Sent } from "./relayed.ts";

// All inputs of the checker: the chain by any node, the API as the parties see it, and the received webhooks. No code here
// depends on the service's internals.

/** A party, whose token the checker uses. */
export type Party = {
  name: string;
  address: Address;
  token: string;
  /** the secret of its webhook endpoint, which subscribes to all events */
  secret: string;
  /** its tokens at the start, in base units */
  minted: bigint;
};

export type Scene = {
  /** the API's URL without `/api/v1` */
  baseUrl: string;
  rpcUrl: string;
  escrowContract: Address;
  token: Address;
  relayer: Address;
  confirmations: number;
  /** the block at the start of the trades */
  since: bigint;
  parties: Party[];
  /** the ids of orders that an answer of the API has acknowledged */
  acknowledged: string[];
  /** the number of placements without an answer */
  unanswered: number;
  received: { name: string; headers: Record<string, string | string[] | undefined>; raw: string }[];
};

const orderSchema = z.object({
  id: z.string(),
  status: z.string(),
  total_amount_base_units: z.string(),
  escrow: z.object({ escrow_id: z.string(), deposit_address: z.string(), status: z.string() }),
});
export type Order = z.output<typeof orderSchema>;

const entrySchema = z.object({
  id: z.string(),
  type: z.string(),
  actor: z.string(),
  confirmed: z.boolean(),
  transaction: z.object({ hash: z.string(), block_number: z.number(), log_index: z.number() }).nullable(),
  data: z.record(z.string(), z.unknown()),
});
export type Entry = z.output<typeof entrySchema>;

const receiptSchema = z.object({
  id: z.string(),
  claim: z.string(),
  revoked: z.boolean(),
  x402_receipt: z.string().nullable(),
  document: z.looseObject({
    id: z.string(),
    order_id: z.string(),
    claim: z.string(),
    escrow_id: z.string(),
    transaction: z.string(),
    block_number: z.number(),
    block_hash: z.string(),
    log_index: z.number(),
    amount: z.string(),
  }),
});
export type Receipt = z.output<typeof receiptSchema>;

export const eventSchema = z.object({
  id: z.string(),
  event_id: z.string(),
  type: z.string(),
  created_at: z.string(),
  data: z.record(z.string(), z.unknown()),
});
export type FeedEvent = z.output<typeof eventSchema>;

const revokedSchema = z.object({ revoked: z.array(z.object({ id: z.string() })) });

/** An event of the contract. */
export type ChainLog = {
  name: string;
  escrowId: Hex;
  args: Record<string, unknown>;
  block: number;
  blockHash: Hex;
  transaction: Hex;
  logIndex: number;
};

/** The state of the chain and the API as an outsider sees it, once all work is done. */
export type Reading = {
  logs: ChainLog[];
  /** the hashes of the blocks since the start, by number */
  blockHashes: Map<number, Hex>;
  /** the newest confirmed block */
  confirmed: number;
  sent: Sent[];
  /** base units of the token, by lower-case address */
  balances: Map<string, bigint>;
  /** transfers to deposit addresses, with lower-case senders */
  transfers: { from: string; to: string; value: bigint }[];
  /** the contract's balance in base units */
  held: bigint;
  orders: { order: Order; buyer: string; provider: string | null; trail: Entry[]; receipts: Receipt[] }[];
  /** the event feed of each party, by name */
  feeds: Map<string, FeedEvent[]>;
  /** the ids of the documents in the signed list of revocations */
  revoked: string[];
};

/** Reads all inputs. Throws if one cannot be read. */
export async function readScene(scene: Scene): Promise<Reading> {
  const { parties } = scene;
  const chain = await readChain(scene);
  const ask = (token: string | null, path: string) => get(`${scene.baseUrl}/api/v1${path}`, token);
  const placed = new Map<string, { order: Order; buyer: Party }>();
  const providers = new Map<string, string>();
  for (const party of parties) {
    for (const order of await readAll(orderSchema, (cursor) =>
      ask(party.token, `/orders?limit=100${cursor}`),
    ))
      placed.set(order.id, { order, buyer: party });
    const receivedOrders = await readAll(orderSchema, (cursor) =>
      ask(party.token, `/orders/received?limit=100${cursor}`),
    );
    for (const { id } of receivedOrders) providers.set(id, party.name);
  }
  const orders: Reading["orders"] = [];
  for (const { order, buyer } of placed.values()) {
    const path = `/orders/${order.id}`;
    const receipts = z
      .object({ items: z.array(receiptSchema) })
      .parse(await ask(buyer.token, `${path}/receipts`));
    orders.push({
      order,
      buyer: buyer.name,
      provider: providers.get(order.id) ?? null,
      trail: await readAll(entrySchema, (cursor) => ask(buyer.token, `${path}/events?limit=100${cursor}`)),
      receipts: receipts.items,
    });
  }
  const feeds = new Map<string, FeedEvent[]>();
  for (const { name, token } of parties) {
    feeds.set(name, await readAll(eventSchema, (cursor) => ask(token, `/events?limit=100${cursor}`)));
  }
  const list = await get(`${scene.baseUrl}/.well-known/earnest-receipt-status.json`, null);
  const revoked = revokedSchema.parse(list).revoked.map(({ id }) => id);
  return { ...chain, orders, feeds, revoked };
}

/** The blocks whose logs one request reads. A node bounds its answer. */
const blocksOfRange = 500n;

export async function readRanges<Log>(
  from: bigint,
  to: bigint,
  read: (within: { fromBlock: bigint; toBlock: bigint }) => Promise<Log[]>,
): Promise<Log[]> {
  const logs: Log[] = [];
  for (let fromBlock = from; fromBlock <= to; fromBlock += blocksOfRange) {
    const last = fromBlock + blocksOfRange - 1n;
    logs.push(...(await read({ fromBlock, toBlock: last < to ? last : to })));
  }
  return logs;
}

async function readChain({ rpcUrl, escrowContract, token, relayer, since, parties, confirmations }: Scene) {
  const node = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 });
  const [head, chainId] = await Promise.all([node.getBlockNumber(), node.getChainId()]);
  const [events, moved] = await Promise.all([
    readRanges(since, head, (within) =>
      node.getContractEvents({ ...within, strict: true, address: escrowContract, abi: escrowAbi }),
    ),
    readRanges(since, head, (within) =>
      node.getContractEvents({
        ...within,
        strict: true,
        address: token,
        abi: erc20Abi,
        eventName: "Transfer",
      }),
    ),
  ]);
  const blockHashes = new Map<number, Hex>();
  const sent: Sent[] = [];
  for (let number = since; number <= head; number += 1n) {
    const block = await node.getBlock({ blockNumber: number, includeTransactions: true });
    blockHashes.set(Number(number), block.hash);
    for (const { from, to, hash, input } of block.transactions) {
      if (getAddress(from) !== getAddress(relayer)) continue;
      const { status, logs } = await node.getTransactionReceipt({ hash });
      sent.push(...callsOf({ hash, to, input, status, logs }, chainId));
    }
  }
  const balanceOf = (owner: Address) =>
    node.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [owner] });
  const balances = new Map<string, bigint>();
  for (const { address } of parties) balances.set(address.toLowerCase(), await balanceOf(address));
  return {
    logs: events.flatMap(
      ({ eventName, args, blockNumber, blockHash, transactionHash, logIndex }): ChainLog[] =>
        "escrowId" in args
          ? [
              {
                name: eventName,
                escrowId: args.escrowId,
                args: { ...args },
                block: Number(blockNumber),
                blockHash,
                transaction: transactionHash,
                logIndex,
              },
            ]
          : [],
    ),
    blockHashes,
    confirmed: Number(head) - confirmations + 1,
    sent,
    balances,
    transfers: moved.map(({ args }) => ({
      from: args.from.toLowerCase(),
      to: args.to.toLowerCase(),
      value: args.value,
    })),
    held: await balanceOf(escrowContract),
  };
}

/** Reads all items of a list by its cursors. */
async function readAll<T>(schema: z.ZodType<T>, ask: (cursor: string) => Promise<unknown>): Promise<T[]> {
  const page = z.object({ items: z.array(schema), next_cursor: z.string().nullable() });
  const items: T[] = [];
  for (let cursor = ""; ; ) {
    const read = page.parse(await ask(cursor));
    items.push(...read.items);
    // The feed always has a cursor.
    if (read.next_cursor === null || read.items.length === 0) return items;
    cursor = `&cursor=${encodeURIComponent(read.next_cursor)}`;
  }
}

async function get(url: string, token: string | null): Promise<unknown> {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(15_000) });
  if (!answer.ok) throw new Error(`GET ${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
