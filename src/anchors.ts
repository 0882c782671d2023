import { ponder } from "ponder:registry";
import { anchorEvent } from "ponder:schema";

// Anybody may anchor anything. Readers decide whose anchors count.

ponder.on("Anchors:Anchored", async ({ event, context }) => {
  const { publisher, size, root } = event.args;
  await context.db
    .insert(anchorEvent)
    .values({
      chainId: context.chain.id,
      contract: lowerCase(event.log.address),
      publisher: lowerCase(publisher),
      size,
      root,
      blockNumber: event.block.number,
      blockHash: event.block.hash,
      transactionHash: event.transaction.hash,
      logIndex: event.log.logIndex,
      timestamp: event.block.timestamp,
    })
    // A repeated anchor adds nothing: the first time counts.
    .onConflictDoNothing();
});

function lowerCase(address: `0x${string}`): `0x${string}` {
  return address.toLowerCase() as `0x${string}`;
}
