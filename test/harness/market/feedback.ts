import { eq, sql } from "drizzle-orm";
import { type Hex, parseEventLogs } from "viem";
import { reputationRegistryAbi } from "../../../abis/registries.ts";
import { agentFeedback } from "../../../db/chain-index.ts";
import { followFeedback, newFeedbackProgress } from "../../../jobs/chain/follow-feedback.ts";
import { expectStatus, type Session } from "../api.ts";
import { forkChain } from "../chain.ts";
import { registerIdentity } from "../identities.ts";
import { asIndexer, ask, createMarket, indexer, placeFunded, settleNow } from "./market.ts";

export const sampleFeedback = {
  value: 87,
  tag1: "starred",
  tag2: "swift",
  comment: "Delivered within the hour.",
};

/** A market on a chain of its own, whose agent is linked to an identity of the provider's wallet. */
export async function createFeedbackMarket() {
  const chain = await forkChain();
  const market = await createMarket({ chain });
  await chain.fund(market.buyer.account);
  const tokenId = await registerIdentity(chain, market.provider.account);
  const request = (method: "GET" | "POST", id: string, rest: string, who: Session, body?: unknown) =>
    ask(market, who, method, `/orders/${id}/portable-feedback${rest}`, body);
  const prepare = (id: string, body: unknown = sampleFeedback, who: Session = market.buyer) =>
    request("POST", id, "", who, body);
  const linkIdentity = async () => {
    const linked = await market.api.request("PUT", `/agents/${market.agent.slug}/erc8004`, {
      token: market.provider.token,
      body: { chain_id: 31_337, agent_id: tokenId.toString() },
    });
    expectStatus(200, linked);
  };
  await linkIdentity();

  return {
    chain,
    market,
    tokenId,
    linkIdentity,
    get: (id: string, who: Session = market.buyer) => request("GET", id, "", who),
    prepare,
    submit: (id: string, transaction_hash: unknown, who: Session = market.buyer) =>
      request("POST", id, "/submitted", who, { transaction_hash }),
    /** Prepares feedback, which must be accepted. */
    prepared: async (id: string, body: unknown = sampleFeedback) =>
      expectStatus(201, await prepare(id, body)).feedback,
    async placeSettled(as: "Released" | "Refunded" = "Released") {
      const { id, row } = await placeFunded(market);
      const settlement = await indexer(market, row).ended(as);
      await settleNow(market);
      return { id, row, settlement };
    },
    /** Writes the events of a transaction into the index, as the indexer does. */
    async indexFeedback(transaction: Hex) {
      const receipt = await chain.publicClient.getTransactionReceipt({ hash: transaction });
      const [event] = parseEventLogs({
        abi: reputationRegistryAbi,
        eventName: "NewFeedback",
        logs: receipt.logs,
      });
      if (!event) throw new Error("The transaction gave no feedback.");
      const { agentId, clientAddress, feedbackIndex, feedbackHash } = event.args;
      const row = {
        chainId: 31_337,
        registry: event.address,
        tokenId: agentId,
        clientAddress,
        feedbackIndex,
        feedbackHash,
        revoked: false,
        blockNumber: receipt.blockNumber,
        blockHash: receipt.blockHash,
        transactionHash: transaction,
        logIndex: event.logIndex,
      };
      await asIndexer(market, (tx) => tx.insert(agentFeedback).values(row));
      const ofFile = eq(agentFeedback.feedbackHash, feedbackHash);
      return {
        blockNumber: receipt.blockNumber,
        remove: () => asIndexer(market, (tx) => tx.delete(agentFeedback).where(ofFile)),
        revoke: () =>
          asIndexer(market, (tx) => tx.update(agentFeedback).set({ revoked: true }).where(ofFile)),
      };
    },
    /** Records the indexed block, as the indexer does. */
    indexUpTo: (block: bigint) =>
      asIndexer(market, (tx) =>
        tx.execute(sql`
          update idx._ponder_checkpoint
          set latest_checkpoint = overlay(latest_checkpoint placing lpad(${block.toString()}, 16, '0') from 27 for 16)`),
      ),
    follow: (progress = newFeedbackProgress()) =>
      followFeedback(market.api.db, market.api.config, progress, { missingMs: -1 }),
    async close(): Promise<void> {
      await market.api.close();
      await chain.close();
    },
  };
}
