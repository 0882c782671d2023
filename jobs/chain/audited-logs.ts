import { type Hash, HttpRequestError, type PublicClient, parseEventLogs } from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import type { Chain } from "../../config/config.ts";
import { escrow, escrowEvent, escrowTally } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { and, between, eq, inArray } from "../../db/drizzle.ts";
import { keptParts } from "../../protocol/facts/kept-parts.ts";
import { keptRepetitions } from "../../protocol/facts/repetitions.ts";

/** A range of blocks, including both ends. */
export type Range = { from: bigint; to: bigint };

/** The position of a log, as the node or the index has it. */
export type LogPosition = {
  name: string;
  blockNumber: bigint;
  blockHash: Hash;
  transactionHash: Hash;
  logIndex: number;
};

/** The result of a comparison: logs that the index lacks, and logs that it has but the node does not. */
export type LogComparison = { missing: LogPosition[]; foreign: LogPosition[]; logs: number };

type Tally = typeof escrowTally.$inferSelect;

/** Compares the index with a node's logs of the escrow contract, by the rules of `src/escrow.ts`. */
export async function compareLogs(
  db: Database,
  client: PublicClient,
  { chain_id, escrow_contract }: Chain,
  { from, to }: Range,
): Promise<LogComparison> {
  const found = await client.getLogs({ address: escrow_contract, fromBlock: from, toBlock: to });
  const logs = parseEventLogs({ abi: escrowAbi, logs: found }).flatMap(({ eventName: name, args, ...log }) =>
    "escrowId" in args ? [{ ...log, name, args }] : [],
  );
  const ofChain = eq(escrowEvent.chainId, chain_id);
  const rows = await db
    .select()
    .from(escrowEvent)
    .where(and(ofChain, between(escrowEvent.blockNumber, from, to)));
  const [indexed, atNode] = [new Set(rows.map(positionOf)), new Set(logs.map(positionOf))];
  const missing: LogPosition[] = logs.filter((log) => !isTallied(log) && !indexed.has(positionOf(log)));
  const tallied = logs.filter(isTallied);
  if (tallied.length > 0) missing.push(...(await findUntallied(tallied)));
  return { missing, foreign: rows.filter((row) => !atNode.has(positionOf(row))), logs: found.length };

  /**
   * Finds the logs that no tally has. A tally has the first events of its escrow and the newest. A later event in the
   * tally stands for the events between them.
   */
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
      // An event in another token is not indexed.
      const ofEscrow = tokens.get(event.args.escrowId);
      if (token !== noToken && ofEscrow !== undefined && ofEscrow !== token) return false;
      const tally = byKey.get(keyOf(event.args.escrowId, event.name, token));
      if (!tally) return true;
      const hasAllEvents = event.name === "DepositReturned" && tally.times <= keptRepetitions;
      if (!hasAllEvents) return BigInt(String(tally.last.blockNumber)) < event.blockNumber;
      return !tally.first.some(
        (occurrence) =>
          positionOf(occurrence as Pick<LogPosition, "blockHash" | "logIndex">) === positionOf(event),
      );
    });
  }
}

const noToken = "0x0000000000000000000000000000000000000000";
const positionOf = ({ blockHash, logIndex }: Pick<LogPosition, "blockHash" | "logIndex">) =>
  `${blockHash}:${logIndex}`;
const keyOf = (escrowId: string, name: string, token: string) => `${escrowId}:${name}:${token.toLowerCase()}`;

function isTallied({ name, args }: { name: string; args: object }): boolean {
  if (name === "DepositReturned") return true;
  if (!("number" in args)) return false;
  const kept = { DeliveryRecorded: keptRepetitions, PartRecorded: keptParts }[name];
  return kept !== undefined && Number(args.number) > kept;
}

/** Whether two comparisons have the same result. */
export function isSameLog(one: LogComparison, other: LogComparison): boolean {
  const positionsOf = ({ missing, foreign }: LogComparison) =>
    [missing, foreign].map((logs) => logs.map(positionOf).sort());
  return JSON.stringify(positionsOf(one)) === JSON.stringify(positionsOf(other));
}

/** Whether a transaction's receipt, which the node stores apart from its logs, has a log. */
export async function isInReceipt(client: PublicClient, place: LogPosition): Promise<boolean> {
  const receipt = await client
    .getTransactionReceipt({ hash: place.transactionHash })
    .catch((error: Error) => {
      if (error.name === "TransactionReceiptNotFoundError") return null;
      throw error;
    });
  return receipt?.logs.some((log) => positionOf(log) === positionOf(place)) ?? false;
}

/** Whether a node answered with a refusal. Most nodes refuse too many blocks or logs in one call. */
export function isNodeRefusal(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof HttpRequestError) return cause.status !== undefined;
    if (cause.name === "RpcRequestError") return true;
  }
  return false;
}
