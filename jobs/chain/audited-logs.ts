import { and, between, eq, inArray } from "drizzle-orm";
import { type Hash, HttpRequestError, type PublicClient, parseEventLogs } from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import type { Chain } from "../../config/config.ts";
import { escrow, escrowEvent, escrowTally } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { keptRepetitions } from "../../protocol/facts/repetitions.ts";

/** Blocks, both ends with them. */
export type Range = { from: bigint; to: bigint };

/** Where a log is, whoever says so. */
export type Place = {
  name: string;
  blockNumber: bigint;
  blockHash: Hash;
  transactionHash: Hash;
  logIndex: number;
};

/** What the index lacks of the node's logs, and what it has that the node does not name. */
export type Compared = { missing: Place[]; foreign: Place[]; logs: number };

type Tally = typeof escrowTally.$inferSelect;

/** Compares the index with what a node says of the escrow contract, by the rules of `src/escrow.ts`. */
export async function compareLogs(
  db: Database,
  client: PublicClient,
  { chain_id, escrow_contract }: Chain,
  { from, to }: Range,
): Promise<Compared> {
  const found = await client.getLogs({ address: escrow_contract, fromBlock: from, toBlock: to });
  const logs = parseEventLogs({ abi: escrowAbi, logs: found }).flatMap(({ eventName: name, args, ...log }) =>
    "escrowId" in args ? [{ ...log, name, args }] : [],
  );
  const ofChain = eq(escrowEvent.chainId, chain_id);
  const rows = await db
    .select()
    .from(escrowEvent)
    .where(and(ofChain, between(escrowEvent.blockNumber, from, to)));
  const [known, said] = [new Set(rows.map(placeOf)), new Set(logs.map(placeOf))];
  const missing: Place[] = logs.filter((log) => !isTallied(log) && !known.has(placeOf(log)));
  const tallied = logs.filter(isTallied);
  if (tallied.length > 0) missing.push(...(await findUntallied(tallied)));
  return { missing, foreign: rows.filter((row) => !said.has(placeOf(row))), logs: found.length };

  /** A tally holds its first events and its newest: of those between, that one came after them is all that is known. */
  async function findUntallied(events: typeof logs): Promise<typeof logs> {
    const ids = [...new Set(events.map(({ args }) => args.escrowId))];
    const tallies: Tally[] = [];
    const tokens = new Map<string, string>();
    for (let at = 0; at < ids.length; at += 1000) {
      const some = ids.slice(at, at + 1000);
      const escrows = await db
        .select({ escrowId: escrow.escrowId, token: escrow.token })
        .from(escrow)
        .where(and(eq(escrow.chainId, chain_id), inArray(escrow.escrowId, some)));
      for (const { escrowId, token } of escrows) tokens.set(escrowId, token.toLowerCase());
      tallies.push(
        ...(await db
          .select()
          .from(escrowTally)
          .where(and(eq(escrowTally.chainId, chain_id), inArray(escrowTally.escrowId, some)))),
      );
    }
    const byKey = new Map(tallies.map((tally) => [keyOf(tally.escrowId, tally.name, tally.token), tally]));
    return events.filter((event) => {
      const token = "token" in event.args ? event.args.token.toLowerCase() : noToken;
      // What comes in another token is not kept.
      const ofEscrow = tokens.get(event.args.escrowId);
      if (token !== noToken && ofEscrow !== undefined && ofEscrow !== token) return false;
      const tally = byKey.get(keyOf(event.args.escrowId, event.name, token));
      if (!tally) return true;
      const isAllThere = event.name === "DepositReturned" && tally.times <= keptRepetitions;
      if (!isAllThere) return BigInt(String(tally.last.blockNumber)) < event.blockNumber;
      return !tally.first.some(
        (one) => placeOf(one as Pick<Place, "blockHash" | "logIndex">) === placeOf(event),
      );
    });
  }
}

const noToken = "0x0000000000000000000000000000000000000000";
const placeOf = ({ blockHash, logIndex }: Pick<Place, "blockHash" | "logIndex">) =>
  `${blockHash}:${logIndex}`;
const keyOf = (escrowId: string, name: string, token: string) => `${escrowId}:${name}:${token.toLowerCase()}`;

function isTallied({ name, args }: { name: string; args: object }): boolean {
  if (name === "DepositReturned") return true;
  return name === "DeliveryRecorded" && "number" in args && Number(args.number) > keptRepetitions;
}

/** Whether two comparisons found the same. */
export function isSame(one: Compared, other: Compared): boolean {
  const told = ({ missing, foreign }: Compared) =>
    [missing, foreign].map((places) => places.map(placeOf).sort());
  return JSON.stringify(told(one)) === JSON.stringify(told(other));
}

/** Whether the receipt of a transaction, which the node keeps apart from its logs, has a log. */
export async function isInReceipt(client: PublicClient, place: Place): Promise<boolean> {
  const receipt = await client
    .getTransactionReceipt({ hash: place.transactionHash })
    .catch((error: Error) => {
      if (error.name === "TransactionReceiptNotFoundError") return null;
      throw error;
    });
  return receipt?.logs.some((log) => placeOf(log) === placeOf(place)) ?? false;
}

/** Whether a node answered, and did not want to: most refuse too many blocks or logs at once. */
export function isRefusal(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof HttpRequestError) return cause.status !== undefined;
    if (cause.name === "RpcRequestError") return true;
  }
  return false;
}
