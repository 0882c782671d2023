import { checkFeeds, checkWebhooks } from "./check-events.ts";
import { checkBalances, checkRelays } from "./check-money.ts";
import type { ChainLog, Entry, Reading, Scene } from "./reading.ts";

// Written from the specification and the documentation (docs/orders.md, docs/webhooks.md, docs/receipts.md) alone.

/** The step of an order for each event of the contract. */
const stepOf: Record<string, string> = {
  EscrowCreated: "order.funded",
  DeliveryRecorded: "delivery.recorded",
  Disputed: "order.disputed",
  DisputeDecided: "order.dispute_decided",
  Released: "order.released",
  Refunded: "order.refunded",
};
const claimOf: Record<string, string> = {
  "order.funded": "funded",
  "order.part_released": "part_released",
  "order.released": "released",
  "order.refunded": "refunded",
};

/**
 * Checks a scene in which all work is done.
 *
 * @returns a sentence for each fault
 */
export function checkScene(scene: Scene, reading: Reading): string[] {
  return [
    ...checkOrders(scene, reading),
    ...reading.orders.flatMap((found) => [
      ...checkTrail(found, reading),
      ...checkStatus(found),
      ...checkReceipts(found, reading),
    ]),
    ...checkRevocations(reading),
    ...checkFeeds(scene, reading),
    ...checkWebhooks(scene, reading),
    ...checkRelays(reading),
    ...checkBalances(scene, reading),
  ];
}

type Found = Reading["orders"][number];

/** Checks that no acknowledged order is lost, and that there is no order that nobody requested. */
function checkOrders({ acknowledged, unanswered }: Scene, { orders, logs }: Reading): string[] {
  const listed = new Set(orders.map(({ order }) => order.id));
  const acknowledgedIds = new Set(acknowledged);
  const surplus = [...listed].filter((id) => !acknowledgedIds.has(id));
  const escrows = new Set(orders.map(({ order }) => order.escrow.escrow_id));
  return [
    ...acknowledged.filter((id) => !listed.has(id)).map((id) => `${id} was acknowledged and is not listed`),
    ...(surplus.length > unanswered ? [`more orders than were requested: ${surplus.join(", ")}`] : []),
    ...logs
      .filter(({ escrowId }) => !escrows.has(escrowId))
      .map(({ name, escrowId }) => `${name} of escrow ${escrowId}, which belongs to no order`),
  ];
}

const placeOf = (transaction: string, block: number, logIndex: number) =>
  `${transaction} in block ${block}, log ${logIndex}`;

function standingOf(trail: Entry[]): Entry[] {
  const reverted = new Set(
    trail.filter(({ type }) => type === "fact.reverted").map(({ data }) => data.fact_id),
  );
  return trail.filter(
    ({ id, type, confirmed }) => confirmed && type !== "fact.reverted" && !reverted.has(id),
  );
}

function logsOf({ order }: Found, { logs, confirmed }: Reading): ChainLog[] {
  return logs.filter(
    ({ escrowId, name, block }) =>
      escrowId === order.escrow.escrow_id && name in stepOf && block <= confirmed,
  );
}

/** Checks that every confirmed event is exactly one fact, and that every fact of the chain is an event. */
function checkTrail(found: Found, reading: Reading): string[] {
  const { order, trail } = found;
  const wrong: string[] = [];
  const facts = standingOf(trail).filter(
    ({ transaction, type }) => transaction && type !== "deposit.returned",
  );
  const counts = new Map<string, number>();
  for (const { type, transaction } of facts) {
    if (!transaction) continue;
    const name = `${type} ${placeOf(transaction.hash, transaction.block_number, transaction.log_index)}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const { name, transaction, block, logIndex } of logsOf(found, reading)) {
    const what = `${stepOf[name]} ${placeOf(transaction, block, logIndex)}`;
    const times = counts.get(what) ?? 0;
    if (times !== 1) wrong.push(`${order.id}: ${what} is on the chain and ${times} times in the trail`);
    counts.delete(what);
  }
  for (const what of counts.keys()) wrong.push(`${order.id}: ${what} is in the trail and not on the chain`);
  const ids = trail.map(({ id }) => id);
  if (new Set(ids).size !== ids.length) wrong.push(`${order.id}: an entry is twice in the trail`);
  const reverts = trail
    .filter(({ type }) => type === "fact.reverted")
    .map(({ data }) => String(data.fact_id));
  if (new Set(reverts).size !== reverts.length) wrong.push(`${order.id}: a fact was reverted twice`);
  for (const id of reverts)
    if (!ids.includes(id)) wrong.push(`${order.id}: ${id} was reverted, but the trail lacks it`);
  return wrong;
}

/** Checks that the status follows from the trail, and the escrow's status from the chain. */
function checkStatus({ order, trail }: Found): string[] {
  const standing = standingOf(trail);
  const hasEntry = (type: string) => standing.some((entry) => entry.type === type);
  const work = standing.findLast(({ type }) =>
    ["order.started", "order.delivered", "order.revision_requested"].includes(type),
  );
  const expected = () => {
    if (hasEntry("order.released")) return "released";
    if (hasEntry("order.refunded")) return "refunded";
    if (hasEntry("order.disputed")) return "disputed";
    if (!hasEntry("order.funded")) return hasEntry("order.expired") ? "expired" : "created";
    if (!work) return "funded";
    return work.type === "order.delivered" ? "delivered" : "started";
  };
  const wrong =
    order.status === expected() ? [] : [`${order.id} is ${order.status}, and its trail says ${expected()}`];
  for (const once of [
    "order.created",
    "order.funded",
    "order.started",
    "order.released",
    "order.refunded",
    "order.disputed",
  ]) {
    const times = standing.filter(({ type }) => type === once).length;
    if (times > 1 && once !== "order.started") wrong.push(`${order.id}: ${once} stands ${times} times`);
  }
  return wrong;
}

/** Checks that each step of the money has one receipt, which is revoked if the step left the chain. */
function checkReceipts({ order, trail, receipts }: Found, { blockHashes, logs }: Reading): string[] {
  const wrong: string[] = [];
  const standing = new Set(standingOf(trail).map(({ id }) => id));
  const rest = [...receipts];
  for (const { id, type, transaction, confirmed } of trail) {
    const claim = claimOf[type];
    if (!claim || !transaction || !confirmed) continue;
    const isOf = ({ claim: claimed, revoked, document }: Found["receipts"][number]) =>
      claimed === claim &&
      revoked === !standing.has(id) &&
      document.transaction === transaction.hash &&
      document.block_number === transaction.block_number &&
      document.log_index === transaction.log_index;
    const at = rest.findIndex(isOf);
    if (at < 0)
      wrong.push(`${order.id}: ${type} (${id}) has no ${standing.has(id) ? "good" : "revoked"} receipt`);
    else rest.splice(at, 1);
  }
  for (const { id, claim } of rest)
    wrong.push(`${order.id}: receipt ${id} claims ${claim}, which did not happen`);
  for (const { id, revoked, document, claim } of receipts) {
    const isOnChain = blockHashes.get(document.block_number) === document.block_hash;
    if (!revoked && !isOnChain)
      wrong.push(`${order.id}: receipt ${id} is not revoked, but its block left the chain`);
    const log = logs.find(
      (one) => one.transaction === document.transaction && one.logIndex === document.log_index && isOnChain,
    );
    if (revoked) continue;
    const amount =
      claim === "funded" ? (log?.args.terms as { amount: bigint } | undefined)?.amount : log?.args.amount;
    if (
      document.order_id !== order.id ||
      document.escrow_id !== log?.escrowId ||
      document.amount !== String(amount)
    )
      wrong.push(`${order.id}: receipt ${id} (${claim}) differs from the chain`);
  }
  return wrong;
}

/** Checks that the signed list has every revoked receipt and no other. */
function checkRevocations({ orders, revoked }: Reading): string[] {
  const expected = orders.flatMap(({ receipts }) =>
    receipts.filter((one) => one.revoked).map(({ document }) => document.id),
  );
  return [
    ...expected.filter((id) => !revoked.includes(id)).map((id) => `${id} is revoked and not listed`),
    ...revoked
      .filter((id) => !expected.includes(id))
      .map((id) => `${id} is listed as revoked, but no party has it`),
  ];
}
