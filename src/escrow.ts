import { type Context, type Event, ponder } from "ponder:registry";
import { escrow, escrowEvent, escrowTally } from "ponder:schema";
import { maxUint256, zeroAddress } from "viem";

// Each event writes its row of `escrow_event`, which never changes, and updates `escrow`. Events that anybody can
// repeat for the gas alone have rows for the first times only, and are counted after that. A payment of a part moves
// money, so each has a row. Handlers have no effect beyond these rows, because Ponder may undo and repeat them.
// PayoutWithdrawn names no escrow and is not indexed.

/** The most rows of one repeatable event; `keptRepetitions` in protocol/facts/repetitions.ts is the same number. */
const keptRepetitions = 16;

/** The most rows of recorded parts; `keptParts` in protocol/facts/kept-parts.ts is the same number. */
const keptParts = 80;

ponder.on("Escrow:EscrowCreated", async ({ event, context }) => {
  const { escrowId, terms } = event.args;
  await recordEvent("EscrowCreated", event, context);
  await context.db.insert(escrow).values({
    chainId: context.chain.id,
    escrowId,
    contract: lowerCase(event.log.address),
    orderHash: terms.orderHash,
    status: "funded",
    buyer: lowerCase(terms.buyer),
    provider: lowerCase(terms.provider),
    token: lowerCase(terms.token),
    amount: terms.amount,
    arbiter: lowerCase(terms.arbiter),
    fundedAt: event.block.timestamp,
    deliveryDeadline: event.block.timestamp + BigInt(terms.deliveryWindow),
    deliveryCount: 0,
    paidAmount: 0n,
    earnedAmount: 0n,
    partCount: 0,
    releasedAmount: 0n,
    refundedAmount: 0n,
  });
});

ponder.on("Escrow:DeliveryRecorded", async ({ event, context }) => {
  const { escrowId, outputHash, number, deliveredAt, autoReleaseAt } = event.args;
  // The record that delivers has a row, however many parts came before it.
  if (number <= keptRepetitions || (await isUndelivered(event, context))) {
    await recordEvent("DeliveryRecorded", event, context);
  } else await tallyRecord("DeliveryRecorded", event, context);
  await context.db.update(escrow, { chainId: context.chain.id, escrowId }).set((row) => ({
    deliveryCount: number,
    // A delivery claims everything.
    earnedAmount: row.amount,
    deliveredAt: BigInt(deliveredAt),
    autoReleaseAt: BigInt(autoReleaseAt),
    outputHash,
  }));
});

ponder.on("Escrow:PartRecorded", async ({ event, context }) => {
  const { escrowId, workHash, earned, number, recordedAt, acceptedAt, isFinal } = event.args;
  if (number <= keptParts || (isFinal && (await isUndelivered(event, context)))) {
    await recordEvent("PartRecorded", event, context);
  } else await tallyRecord("PartRecorded", event, context);
  await context.db.update(escrow, { chainId: context.chain.id, escrowId }).set((row) => ({
    deliveryCount: number,
    earnedAmount: earned,
    outputHash: workHash,
    claims: addClaim(row.claims ?? [], { earned: earned.toString(), acceptedAt }),
    ...(!isFinal && { claimAcceptedAt: BigInt(acceptedAt) }),
    // A revision moves no date, also of a claim that a delivery followed.
    ...(isFinal &&
      row.deliveredAt === null && { deliveredAt: BigInt(recordedAt), autoReleaseAt: BigInt(acceptedAt) }),
  }));
});

ponder.on("Escrow:PartReleased", async ({ event, context }) => {
  const { escrowId, total } = event.args;
  const key = { chainId: context.chain.id, escrowId };
  const number = ((await context.db.find(escrow, key))?.partCount ?? 0) + 1;
  await recordEvent("PartReleased", { ...event, args: { ...event.args, number } }, context);
  await context.db.update(escrow, key).set((row) => ({
    paidAmount: total,
    earnedAmount: total > row.earnedAmount ? total : row.earnedAmount,
    partCount: number,
  }));
});

ponder.on("Escrow:Disputed", async ({ event, context }) => {
  const { escrowId, decideBy } = event.args;
  await recordEvent("Disputed", event, context);
  await context.db.update(escrow, { chainId: context.chain.id, escrowId }).set((row) => ({
    status: "disputed",
    disputedAt: event.block.timestamp,
    decideBy: BigInt(decideBy),
    acceptedAmount: acceptedBefore(row.claims ?? [], event.block.timestamp),
  }));
});

ponder.on("Escrow:DisputeDecided", async ({ event, context }) => {
  const { escrowId, providerAmount, settleableAt } = event.args;
  await recordEvent("DisputeDecided", event, context);
  await context.db.update(escrow, { chainId: context.chain.id, escrowId }).set({
    status: "decided",
    decidedProviderAmount: providerAmount,
    settleableAt: BigInt(settleableAt),
  });
});

ponder.on("Escrow:Released", async ({ event, context }) => {
  const { escrowId, amount } = event.args;
  await recordEvent("Released", event, context);
  await context.db.update(escrow, { chainId: context.chain.id, escrowId }).set((row) => ({
    status: row.refundedAmount > 0n ? "split" : "released",
    releasedAmount: amount,
  }));
});

ponder.on("Escrow:Refunded", async ({ event, context }) => {
  const { escrowId, amount } = event.args;
  await recordEvent("Refunded", event, context);
  await context.db.update(escrow, { chainId: context.chain.id, escrowId }).set((row) => ({
    status: row.releasedAmount > 0n ? "split" : "refunded",
    refundedAmount: amount,
  }));
});

ponder.on("Escrow:DepositReturned", async ({ event, context }) => {
  const { escrowId, token, amount } = event.args;
  const funded = await context.db.find(escrow, { chainId: context.chain.id, escrowId });
  // A deposit in another token concerns no order. Until the funding, the escrow's token is unknown here.
  if (funded && funded.token !== lowerCase(token)) return;
  const last = occurrenceOf(event);
  await context.db
    .insert(escrowTally)
    .values({ ...tallyKey("DepositReturned", event, context, token), times: 1, amount, first: [last], last })
    .onConflictDoUpdate((row) => {
      // A worthless token may report any amount, and the sum of two may exceed the column.
      let sum = row.amount + amount;
      if (sum > maxUint256) sum = maxUint256;
      return {
        times: row.times + 1,
        amount: sum,
        first: row.times < keptRepetitions ? [...row.first, last] : row.first,
        last,
      };
    });
});

ponder.on("Escrow:PayoutDeferred", async ({ event, context }) => {
  await recordEvent("PayoutDeferred", event, context);
});

type Claim = { earned: string; acceptedAt: number };

/** The same sum again is a revision, which is no claim of its own. */
function addClaim(claims: Claim[], claim: Claim): Claim[] {
  return claims.at(-1)?.earned === claim.earned ? claims : [...claims, claim];
}

/** Returns what time accepted before a dispute's first second, in base units, as the contract counts it. */
function acceptedBefore(claims: Claim[], disputedAt: bigint): bigint {
  return BigInt(claims.findLast(({ acceptedAt }) => BigInt(acceptedAt) < disputedAt)?.earned ?? 0);
}

async function isUndelivered({ args: { escrowId } }: Pick<EscrowEvent, "args">, { chain, db }: Context) {
  return (await db.find(escrow, { chainId: chain.id, escrowId }))?.deliveredAt === null;
}

/** Counts a repeatable record of the provider that has no row of its own. */
async function tallyRecord(name: string, event: EscrowEvent, context: Context) {
  const last = occurrenceOf(event);
  await context.db
    .insert(escrowTally)
    .values({ ...tallyKey(name, event, context, zeroAddress), times: 1, amount: 0n, first: [], last })
    .onConflictDoUpdate((row) => ({ times: row.times + 1, last }));
}

type EscrowEvent = {
  args: { escrowId: `0x${string}`; number?: number };
  block: Event["block"];
  transaction: Event["transaction"];
  log: Event["log"];
};

async function recordEvent(
  name: string,
  { args, block, transaction, log }: EscrowEvent,
  { chain, db }: Context,
) {
  await db.insert(escrowEvent).values({
    id: `${chain.id}:${block.hash}:${log.logIndex}`,
    chainId: chain.id,
    escrowId: args.escrowId,
    contract: lowerCase(log.address),
    name,
    args: plain(args) as Record<string, unknown>,
    blockNumber: block.number,
    blockHash: block.hash,
    transactionHash: transaction.hash,
    logIndex: log.logIndex,
    timestamp: block.timestamp,
  });
}

function tallyKey(
  name: string,
  { args }: Pick<EscrowEvent, "args">,
  { chain }: Context,
  token: `0x${string}`,
) {
  return { chainId: chain.id, escrowId: args.escrowId, name, token: lowerCase(token) };
}

/** An event as a tally stores it: the columns of `escrow_event` except the key. */
function occurrenceOf({ args, block, transaction, log }: EscrowEvent): Record<string, unknown> {
  return {
    args: plain(args),
    blockNumber: block.number.toString(),
    blockHash: block.hash,
    transactionHash: transaction.hash,
    logIndex: log.logIndex,
    timestamp: block.timestamp.toString(),
  };
}

/** Converts arguments for JSON: wide integers to decimal strings, addresses and hashes to lower case. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return value.startsWith("0x") ? value.toLowerCase() : value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

function lowerCase(address: `0x${string}`): `0x${string}` {
  return address.toLowerCase() as `0x${string}`;
}
