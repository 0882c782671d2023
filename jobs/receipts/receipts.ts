import { getAddress } from "viem";
import type { ReceiptSigner } from "../../config/keys/signing-key.ts";
import type { Transaction } from "../../db/client.ts";
import { deriveId } from "../../db/derived-ids.ts";
import { and, eq, isNull, sql } from "../../db/drizzle.ts";
import { readTallies } from "../../db/ledger.ts";
import { queueLogEntry } from "../../db/log-queue.ts";
import type { FoldableFact, OrderRow } from "../../db/order-rows.ts";
import { accountSettlement, receipt } from "../../db/schema.ts";
import { isDelivered } from "../../protocol/facts/delivery-record.ts";
import { effectiveFacts } from "../../protocol/facts/lifecycle.ts";
import { keptRepetitions } from "../../protocol/facts/repetitions.ts";
import { apiPath, type Claim, claims } from "../../protocol/settlement/vocabulary.ts";
import type { SettlementClaim } from "../../receipts/document.ts";
import { signDocument, signX402Receipt } from "../../receipts/sign.ts";
import { currentKey } from "../../receipts/signing-keys.ts";

type Fact = FoldableFact;

const claimOf: Partial<Record<Fact["type"], SettlementClaim>> = {
  "order.funded": "funded",
  "order.part_released": "part_released",
  "order.released": "released",
  "order.refunded": "refunded",
};

/**
 * Signs and stores the receipts of facts that this transaction recorded. Each step of the money gets a settlement
 * document. A release of delivered work also gets an x402 receipt. A fact has one receipt, however often this is
 * called. A paid part is no row of `account_settlement`, because the amount of the release includes it.
 *
 * @param steps all facts that the order's state is folded from, including these
 * @param publicUrl the API's URL, which the receipts name
 */
export async function issueReceipts(
  tx: Transaction,
  order: OrderRow,
  { recorded, steps }: { recorded: readonly Fact[]; steps: readonly Fact[] },
  signer: ReceiptSigner,
  publicUrl: string,
): Promise<void> {
  if (!recorded.some((fact) => claimOf[fact.type])) return;
  const effective = effectiveFacts(steps);
  for (const fact of recorded) {
    const claim = claimOf[fact.type];
    if (!claim) continue;
    const id = deriveId("rcp", fact.id, fact.id);
    const issuedAt = new Date();
    const place = placeOf(fact);
    const key = currentKey(signer.keys, issuedAt);
    const document = signDocument(
      {
        $schema: `${publicUrl}${apiPath}/schemas/settlement-document-2.json`,
        id: `${publicUrl}${apiPath}/receipts/${id}`,
        type: "SettlementDocument",
        version: 2,
        issuer: signer.issuer,
        issued_at: issuedAt.toISOString(),
        order_id: order.id,
        agreement_hash: order.orderHash,
        claim,
        chain: `eip155:${place.chainId}`,
        contract: getAddress(order.escrowContract),
        escrow_id: order.escrowId,
        transaction: place.transactionHash,
        block_number: Number(place.blockNumber),
        block_hash: place.blockHash,
        log_index: place.logIndex,
        buyer: getAddress(order.buyerAddress),
        provider: getAddress(order.providerAddress),
        token: getAddress(order.token),
        amount: textIn(fact, "amount_base_units"),
        output_hash:
          claim === "part_released"
            ? workHashOf(effective, fact)
            : ((await readLatestOutputHash(tx, order, effective)) ??
              outputHashBefore(effective.filter(isDelivery), fact)),
        released_so_far: claim === "part_released" ? textIn(fact, "released_so_far_base_units") : null,
        terms: {
          amount: order.amount.toString(),
          fund_by: order.fundBy,
          delivery_window: order.deliveryWindow,
          acceptance_window: order.acceptanceWindow,
          dispute_window: order.disputeWindow,
          appeal_window: order.appealWindow,
          arbiter: getAddress(order.arbiter),
        },
      },
      key,
      signer.issuer,
    );
    // An x402 receipt states that the resource was paid for and delivered. A release without a delivery does not
    // qualify.
    const x402Receipt =
      claim === "released" && isDelivered(effective)
        ? await signX402Receipt(
            {
              network: `eip155:${place.chainId}`,
              resourceUrl: `${publicUrl}${apiPath}/orders/${order.id}`,
              payer: payerOf(effective, order),
              issuedAt: Math.floor(issuedAt.getTime() / 1000),
              transaction: place.transactionHash,
            },
            key,
            signer.issuer,
          )
        : null;
    const issued = tx
      .insert(receipt)
      .values({ id, orderId: order.id, factId: fact.id, claim, document, x402Receipt })
      .onConflictDoNothing({ target: receipt.factId })
      .returning({ id: receipt.id, createdAt: receipt.createdAt });
    const { rowCount } = isWhole(claim)
      ? await tx.execute(sql`
      with issued as ${issued}
      insert into ${accountSettlement} (receipt_id, created_at, claim, account_id, role)
      select issued.id, issued.created_at, ${claim}, party.account_id, party.role
      from issued, (values (${order.buyerAccountId}, 'buyer'), (${order.providerAccountId}, 'provider')) as party (account_id, role)`)
      : await tx.execute(issued);
    if (rowCount) await queueLogEntry(tx, "receipt", id);
  }
}

function isWhole(claim: SettlementClaim): claim is Claim {
  return claims.some((one) => one === claim);
}

/**
 * Marks the receipt of a fact that left the chain as revoked, and queues the revocation for the log.
 *
 * @param at when the receipt is revoked
 */
export async function revokeReceipt(tx: Transaction, factId: string, at = new Date()): Promise<void> {
  const revoked = await tx
    .update(receipt)
    .set({ revokedAt: at })
    .where(and(eq(receipt.factId, factId), isNull(receipt.revokedAt)))
    .returning({ id: receipt.id });
  for (const { id } of revoked) await queueLogEntry(tx, "revocation", id, at);
}

/**
 * Reads the latest delivery on the chain if there are more deliveries than the ledger has facts of; else null. Once the
 * money has moved, there are no further deliveries.
 */
async function readLatestOutputHash(
  tx: Transaction,
  order: OrderRow,
  effective: readonly Fact[],
): Promise<string | null> {
  const records = effective.filter(isRecord);
  if (records.length < keptRepetitions) return null;
  const tallies = (await readTallies(tx, order)).filter(({ name }) => name !== "DepositReturned");
  const last = tallies.map(
    (tally) => tally.last.args as { outputHash?: string; workHash?: string; number: number },
  );
  const newest = last.sort((one, other) => Number(one.number) - Number(other.number)).at(-1);
  return newest?.outputHash ?? newest?.workHash ?? null;
}

/** Finds the hash of a part's work: the voucher's, or that of the latest record which claimed this sum; null if unknown. */
function workHashOf(effective: readonly Fact[], fact: Fact): string | null {
  if (typeof fact.data.work_hash === "string") return fact.data.work_hash;
  const sum = textIn(fact, "released_so_far_base_units");
  const claimed = effective.filter((one) => isRecord(one) && one.data.earned_base_units === sum);
  return outputHashBefore(claimed, fact);
}

const isDelivery = ({ type }: Fact) => type === "delivery.recorded";
const isRecord = (fact: Fact) => isDelivery(fact) || fact.type === "part.recorded";

/** Finds the hash of the latest of these records that is on the chain before the money moved; null if there is none. */
function outputHashBefore(records: readonly Fact[], fact: Fact): string | null {
  const { blockNumber, logIndex } = placeOf(fact);
  const before = records
    .map((other) => ({ other, place: placeOf(other) }))
    .filter(
      ({ place }) =>
        place.blockNumber < blockNumber || (place.blockNumber === blockNumber && place.logIndex < logIndex),
    )
    .sort((a, b) => Number(a.place.blockNumber - b.place.blockNumber) || a.place.logIndex - b.place.logIndex);
  const last = before.at(-1)?.other;
  return last ? textIn(last, "output_hash") : null;
}

/**
 * Finds the payer. Money at the deposit address has no known payer, so the buyer counts as the payer, as in the
 * contract.
 */
function payerOf(effective: readonly Fact[], order: OrderRow): string {
  const payer = effective.find((fact) => fact.type === "order.funded")?.data.payer;
  if (typeof payer !== "string" || payer.toLowerCase() === order.depositAddress) {
    return getAddress(order.buyerAddress);
  }
  return payer;
}

function placeOf(fact: Fact) {
  const { chainId, blockNumber, blockHash, transactionHash, logIndex } = fact;
  if (chainId === null || blockNumber === null || !blockHash || !transactionHash || logIndex === null) {
    throw new Error(`The fact ${fact.id} (${fact.type}) has no position on the chain.`);
  }
  return { chainId, blockNumber, blockHash, transactionHash, logIndex };
}

function textIn(fact: Fact, field: string): string {
  const value = fact.data[field];
  if (typeof value !== "string") throw new Error(`The fact ${fact.id} (${fact.type}) has no ${field}.`);
  return value;
}
