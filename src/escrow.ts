import { type Context, type Event, ponder } from "ponder:registry";
import { escrow, escrowEvent } from "ponder:schema";

// Each event writes its row of `escrow_event`, which is never changed, and brings `escrow` to the state after it.
// Nothing here has an effect beyond these rows: they are undone and written again whenever the chain or Ponder wants.
// PayoutWithdrawn names no escrow and is not kept.

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
    releasedAmount: 0n,
    refundedAmount: 0n,
  });
});

ponder.on("Escrow:DeliveryRecorded", async ({ event, context }) => {
  const { escrowId, outputHash, number, deliveredAt, autoReleaseAt } = event.args;
  await recordEvent("DeliveryRecorded", event, context);
  await context.db.update(escrow, { chainId: context.chain.id, escrowId }).set({
    deliveryCount: number,
    deliveredAt: BigInt(deliveredAt),
    autoReleaseAt: BigInt(autoReleaseAt),
    outputHash,
  });
});

ponder.on("Escrow:Disputed", async ({ event, context }) => {
  const { escrowId, decideBy } = event.args;
  await recordEvent("Disputed", event, context);
  await context.db.update(escrow, { chainId: context.chain.id, escrowId }).set({
    status: "disputed",
    disputedAt: event.block.timestamp,
    decideBy: BigInt(decideBy),
  });
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
  await recordEvent("DepositReturned", event, context);
});

ponder.on("Escrow:PayoutDeferred", async ({ event, context }) => {
  await recordEvent("PayoutDeferred", event, context);
});

type EscrowEvent = {
  args: { escrowId: `0x${string}` };
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

/** Arguments as JSON holds them: wide integers as decimal strings, addresses and hashes in lower case. */
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
