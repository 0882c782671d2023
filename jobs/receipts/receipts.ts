import { sql } from "drizzle-orm";
import { getAddress } from "viem";
import type { ReceiptSigner } from "../../config/keys/signing-key.ts";
import type { Transaction } from "../../db/client.ts";
import { deriveId } from "../../db/derived-ids.ts";
import { readTallies } from "../../db/ledger.ts";
import { logChannel } from "../../db/log-tiles.ts";
import { wake } from "../../db/notify.ts";
import type { FoldableFact, OrderRow } from "../../db/order-rows.ts";
import { accountSettlement, receipt } from "../../db/schema.ts";
import { isDelivered } from "../../protocol/facts/delivery-record.ts";
import { standingFacts } from "../../protocol/facts/lifecycle.ts";
import { keptRepetitions } from "../../protocol/facts/repetitions.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import type { SettlementClaim } from "../../receipts/document.ts";
import { currentKey } from "../../receipts/keys.ts";
import { signDocument, signX402Receipt } from "../../receipts/sign.ts";

type Fact = FoldableFact;

const claims: Partial<Record<Fact["type"], SettlementClaim>> = {
  "order.funded": "funded",
  "order.released": "released",
  "order.refunded": "refunded",
};

/**
 * Signs and stores the receipts of facts that were recorded in this transaction: a settlement document for each step of
 * the money, and the x402 receipt beside it for a release of delivered work. A fact has one receipt, however often this is called.
 *
 * @param steps all facts of the order that its state is folded from, these with them
 * @param publicUrl where the API answers, which the receipts name
 */
export async function issueReceipts(
  tx: Transaction,
  order: OrderRow,
  { recorded, steps }: { recorded: readonly Fact[]; steps: readonly Fact[] },
  signer: ReceiptSigner,
  publicUrl: string,
): Promise<void> {
  if (!recorded.some((fact) => claims[fact.type])) return;
  const standing = standingFacts(steps);
  for (const fact of recorded) {
    const claim = claims[fact.type];
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
        output_hash: (await readLatestOutputHash(tx, order, standing)) ?? outputHashBefore(standing, fact),
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
    // An x402 receipt says that the resource was paid for and delivered: a release on a bare claim is no such thing.
    const x402Receipt =
      claim === "released" && isDelivered(standing)
        ? await signX402Receipt(
            {
              network: `eip155:${place.chainId}`,
              resourceUrl: `${publicUrl}${apiPath}/orders/${order.id}`,
              payer: payerOf(standing, order),
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
    const { rowCount } = await tx.execute(sql`
      with issued as ${issued}
      insert into ${accountSettlement} (receipt_id, created_at, claim, account_id, role)
      select issued.id, issued.created_at, ${claim}, party.account_id, party.role
      from issued, (values (${order.buyerAccountId}, 'buyer'), (${order.providerAccountId}, 'provider')) as party (account_id, role)`);
    if (rowCount) await wake(tx, logChannel);
  }
}

/**
 * The latest delivery on the chain, where there are more than the ledger has facts of; else null. Once the money has
 * moved there are no further ones.
 */
async function readLatestOutputHash(
  tx: Transaction,
  order: OrderRow,
  standing: readonly Fact[],
): Promise<string | null> {
  if (standing.filter(({ type }) => type === "delivery.recorded").length < keptRepetitions) return null;
  const tally = (await readTallies(tx, order)).find(({ name }) => name === "DeliveryRecorded");
  const args = tally?.last.args as { outputHash?: string } | undefined;
  return args?.outputHash ?? null;
}

/** The delivery that stood on the chain when the money moved; null when none did. */
function outputHashBefore(standing: readonly Fact[], fact: Fact): string | null {
  const { blockNumber, logIndex } = placeOf(fact);
  const before = standing
    .filter((other) => other.type === "delivery.recorded")
    .map((other) => ({ other, place: placeOf(other) }))
    .filter(
      ({ place }) =>
        place.blockNumber < blockNumber || (place.blockNumber === blockNumber && place.logIndex < logIndex),
    )
    .sort((a, b) => Number(a.place.blockNumber - b.place.blockNumber) || a.place.logIndex - b.place.logIndex);
  const last = before.at(-1)?.other;
  return last ? textIn(last, "output_hash") : null;
}

/** Who paid. Money found at the deposit address names nobody, and then it is the buyer's as the contract sees it. */
function payerOf(standing: readonly Fact[], order: OrderRow): string {
  const payer = standing.find((fact) => fact.type === "order.funded")?.data.payer;
  if (typeof payer !== "string" || payer.toLowerCase() === order.depositAddress) {
    return getAddress(order.buyerAddress);
  }
  return payer;
}

function placeOf(fact: Fact) {
  const { chainId, blockNumber, blockHash, transactionHash, logIndex } = fact;
  if (chainId === null || blockNumber === null || !blockHash || !transactionHash || logIndex === null) {
    throw new Error(`The fact ${fact.id} (${fact.type}) does not say where on the chain it is.`);
  }
  return { chainId, blockNumber, blockHash, transactionHash, logIndex };
}

function textIn(fact: Fact, field: string): string {
  const value = fact.data[field];
  if (typeof value !== "string") throw new Error(`The fact ${fact.id} (${fact.type}) has no ${field}.`);
  return value;
}
