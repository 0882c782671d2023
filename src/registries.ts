import { ponder } from "ponder:registry";
import { agentFeedback, identityTransfer } from "ponder:schema";
import { zeroAddress } from "viem";

// These registries hold all agents of the chain. Only rows that may concern this service are kept.

ponder.on("IdentityRegistry:Transfer", async ({ event, context }) => {
  const { from, to, tokenId } = event.args;
  // A registration takes an identity from nobody.
  if (from === zeroAddress) return;
  const moved = { owner: lowerCase(to), blockNumber: event.block.number };
  await context.db
    .insert(identityTransfer)
    .values({ chainId: context.chain.id, registry: lowerCase(event.log.address), tokenId, ...moved })
    .onConflictDoUpdate(moved);
});

ponder.on("ReputationRegistry:NewFeedback", async ({ event, context }) => {
  const { agentId, clientAddress, feedbackIndex, feedbackURI, feedbackHash } = event.args;
  if (!feedbackURI.endsWith(`/feedback/${feedbackHash}.json`)) return;
  await context.db.insert(agentFeedback).values({
    chainId: context.chain.id,
    registry: lowerCase(event.log.address),
    tokenId: agentId,
    clientAddress: lowerCase(clientAddress),
    feedbackIndex,
    feedbackHash,
    revoked: false,
    blockNumber: event.block.number,
    blockHash: event.block.hash,
    transactionHash: event.transaction.hash,
    logIndex: event.log.logIndex,
  });
});

ponder.on("ReputationRegistry:FeedbackRevoked", async ({ event, context }) => {
  const { agentId, clientAddress, feedbackIndex } = event.args;
  const key = {
    chainId: context.chain.id,
    registry: lowerCase(event.log.address),
    tokenId: agentId,
    clientAddress: lowerCase(clientAddress),
    feedbackIndex,
  };
  if (await context.db.find(agentFeedback, key)) {
    await context.db.update(agentFeedback, key).set({ revoked: true });
  }
});

function lowerCase(address: `0x${string}`): `0x${string}` {
  return address.toLowerCase() as `0x${string}`;
}
