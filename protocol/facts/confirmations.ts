/** The blocks that a chain needs, with the block of an event as the first, until the event is confirmed. */
type Confirmations = { confirmations: number };

/** The blocks above the newest confirmed block. */
export function unconfirmedBlocks({ confirmations }: Confirmations): bigint {
  return BigInt(confirmations) - 1n;
}

/** Finds the newest confirmed block below a chain's head: an event in this block, or in an earlier one, is confirmed. */
export function confirmedBlock(head: bigint, chain: Confirmations): bigint {
  return head - unconfirmedBlocks(chain);
}

/** Whether the events of a block are confirmed. */
export function isConfirmed(block: bigint, head: bigint, chain: Confirmations): boolean {
  return block <= confirmedBlock(head, chain);
}
