import { and, desc, eq, inArray, isNull } from "drizzle-orm";
import { getAddress, type Hex } from "viem";
import type { Transaction } from "../../db/client.ts";
import { readFeedback, readFiles } from "../../db/feedback.ts";
import { agentIdentity, fact, feedback, feedbackFile, receipt } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import {
  type Opinion,
  type ProofOfPayment,
  readOpinion,
  writeFeedbackFile,
} from "../../protocol/settlement/feedback.ts";
import { type Identity, readIdentity } from "../../protocol/settlement/identity.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { lockOwnOrder, readOwnOrder, requireSettled } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import type { Caller } from "../http/caller.ts";

/** How many files may be made for one order. */
const mostFiles = 10;

/**
 * Makes the feedback file of a settled order of the caller's, and keeps it as the one to be given.
 *
 * @throws ApiError `not_settled` before the money moved; `invalid_state` where the agent shows no identity, or the buyer
 *   acts for it; `conflict` once feedback was given, or too much was prepared
 */
export async function prepareFeedback(
  context: Context,
  caller: Caller,
  orderId: string,
  opinion: Opinion,
): Promise<void> {
  const { db } = context;
  const { row } = await readOwnOrder(db, caller, orderId);
  requireSettled(row, asProof);
  const { identity, reputationRegistry } = await readShownIdentity(row.agentId);
  await refuseSelf(identity, getAddress(row.buyerAddress));

  await inTransaction(db, async (tx) => {
    // Held, so that a reorganisation that takes the settlement away comes before or after.
    const { row: held } = await lockOwnOrder(tx, caller, orderId);
    requireSettled(held, asProof);
    const standing = await readFeedback(tx, orderId);
    if (standing && standing.row.status !== "prepared") {
      throw new ApiError("conflict", "The order's feedback was given already: an order has one.");
    }
    if (standing && isSame(standing.file, identity, opinion)) return;
    if ((await readFiles(tx, orderId)).length >= mostFiles) {
      throw new ApiError(
        "conflict",
        `Feedback on an order is prepared at most ${mostFiles} times: give the last.`,
      );
    }
    const { payment, receiptId } = await readSettlement(tx, orderId);
    const client = getAddress(held.buyerAddress);
    const { content, hash } = writeFeedbackFile({
      identity,
      client,
      opinion,
      createdAt: new Date(),
      order: held,
      payment,
      receiptUrl: `${context.config.publicUrl}${apiPath}/receipts/${receiptId}`,
    });
    const { chainId, tokenId } = identity;
    await tx
      .insert(feedbackFile)
      .values({ hash, orderId, content, chainId, reputationRegistry, tokenId, clientAddress: client });
    await tx
      .insert(feedback)
      .values({ orderId, fileHash: hash })
      .onConflictDoUpdate({ target: feedback.orderId, set: { fileHash: hash, updatedAt: new Date() } });
  });

  async function readShownIdentity(agentId: string) {
    const [found] = await db
      .select()
      .from(agentIdentity)
      .where(and(eq(agentIdentity.agentId, agentId), isNull(agentIdentity.lostAt)));
    const registries = found && context.chain(found.chainId)?.chain.erc8004;
    if (!found || registries?.identity_registry.toLowerCase() !== found.registry) {
      throw new ApiError(
        "invalid_state",
        "The order's agent shows no on-chain identity to give feedback to.",
      );
    }
    const { chainId, registry, tokenId } = found;
    return { identity: { chainId, registry, tokenId }, reputationRegistry: registries.reputation_registry };
  }

  /** The registry would refuse it. */
  async function refuseSelf(identity: Identity, buyer: `0x${string}`): Promise<void> {
    const { chain, client } = context.chain(identity.chainId) ?? {};
    if (!chain || !client) return;
    const { holding } = await readIdentity(client, identity, { confirmations: 1, wallets: [buyer] });
    if (!holding) return;
    throw new ApiError("invalid_state", `${buyer} acts for this agent: nobody gives feedback to their own.`);
  }
}

const asProof = "feedback needs the settlement as its proof";

function isSame(
  file: typeof feedbackFile.$inferSelect,
  { chainId, tokenId }: Identity,
  opinion: Opinion,
): boolean {
  const uploaded = readOpinion(file.content);
  const names = ["value", "value_decimals", "tag1", "tag2", "comment"] as const;
  return (
    file.chainId === chainId &&
    file.tokenId === tokenId &&
    names.every((name) => uploaded[name] === opinion[name])
  );
}

/** The settlement that counts and its receipt; of a split, what the provider got. */
async function readSettlement(
  tx: Transaction,
  orderId: string,
): Promise<{ payment: ProofOfPayment; receiptId: string }> {
  const [found] = await tx
    .select({ receipt, fact })
    .from(receipt)
    .innerJoin(fact, eq(fact.id, receipt.factId))
    .where(
      and(
        eq(receipt.orderId, orderId),
        inArray(receipt.claim, ["released", "refunded"]),
        isNull(receipt.revokedAt),
      ),
    )
    // "released" comes after "refunded".
    .orderBy(desc(receipt.claim), desc(fact.seq))
    .limit(1);
  if (!found)
    throw new ApiError("not_settled", "The order's settlement has no receipt yet. Try again in a moment.");
  return {
    receiptId: found.receipt.id,
    payment: {
      chainId: found.fact.chainId as number,
      hash: found.fact.transactionHash as Hex,
      claim: found.receipt.claim as ProofOfPayment["claim"],
      amount: BigInt(found.fact.data.amount_base_units as string),
    },
  };
}
