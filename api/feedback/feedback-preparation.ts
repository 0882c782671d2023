import { getAddress, type Hex } from "viem";
import type { Transaction } from "../../db/client.ts";
import { and, desc, eq, inArray, isNull } from "../../db/drizzle.ts";
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

/** The most feedback files of one order. */
const mostFiles = 10;

/**
 * Writes the feedback file of the caller's settled order, and stores it as the file to give.
 *
 * @throws ApiError `not_settled` before the settlement; `invalid_state` if the agent shows no identity or the buyer
 *   controls it; `conflict` once feedback was given, or after too many preparations
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
    // The lock orders this transaction and a reorganisation that removes the settlement.
    const { row: held } = await lockOwnOrder(tx, caller, orderId);
    requireSettled(held, asProof);
    const current = await readFeedback(tx, orderId);
    if (current && current.row.status !== "prepared") {
      throw new ApiError("conflict", "The order's feedback is given already. An order has one feedback.");
    }
    if (current && isSame(current.file, identity, opinion)) return;
    if ((await readFiles(tx, orderId)).length >= mostFiles) {
      throw new ApiError(
        "conflict",
        `Feedback on an order can be prepared at most ${mostFiles} times. Give the last one.`,
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
    const [result] = await db
      .select()
      .from(agentIdentity)
      .where(and(eq(agentIdentity.agentId, agentId), isNull(agentIdentity.lostAt)));
    const registries = result && context.chain(result.chainId)?.chain.erc8004;
    if (!result || registries?.identity_registry.toLowerCase() !== result.registry) {
      throw new ApiError(
        "invalid_state",
        "The order's agent shows no on-chain identity, so it cannot get feedback.",
      );
    }
    const { chainId, registry, tokenId } = result;
    return { identity: { chainId, registry, tokenId }, reputationRegistry: registries.reputation_registry };
  }

  /** Refuses feedback that the registry would refuse: the buyer controls the agent. */
  async function refuseSelf(identity: Identity, buyer: `0x${string}`): Promise<void> {
    const { chain, client } = context.chain(identity.chainId) ?? {};
    if (!chain || !client) return;
    const { holding } = await readIdentity(client, identity, { confirmations: 1, wallets: [buyer] });
    if (!holding) return;
    throw new ApiError(
      "invalid_state",
      `${buyer} controls this agent, and an owner cannot rate their own agent.`,
    );
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

/** Reads the order's settlement and its receipt; for a split, the provider's part. */
async function readSettlement(
  tx: Transaction,
  orderId: string,
): Promise<{ payment: ProofOfPayment; receiptId: string }> {
  const [result] = await tx
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
  if (!result)
    throw new ApiError(
      "not_settled",
      "The settlement of the order has no receipt yet. Try again in a moment.",
    );
  return {
    receiptId: result.receipt.id,
    payment: {
      chainId: result.fact.chainId as number,
      hash: result.fact.transactionHash as Hex,
      claim: result.receipt.claim as ProofOfPayment["claim"],
      amount: BigInt(result.fact.data.amount_base_units as string),
    },
  };
}
