import type { Hex } from "viem";
import { gasBounds } from "../../trade/relay/gas-bounds.ts";
import type { Relay } from "./relay-row.ts";
import type { RelayParts } from "./transactions.ts";

/** Errors of contracts and tokens after a concurrent call, or after a deadline. */
const overtaken =
  /^(WrongStatus|TooEarly|TooLate|SignatureExpired|ERC3009UsedAuthorization|InvalidNonce|ProviderAmountTooLow|ProviderAmountTooHigh|AlreadyDelivered)\(|authorization is used/i;
/** The most gas of a call that fails with such an error before it runs a wallet's code. */
const gasOfOvertaken = 150_000;
/** Errors of the escrow that are true even after a wallet's code ran. */
const late = /^Too(Early|Late)\(/;
/** The escrow's error for the record of a delivery whose number another record of the same delivery has. */
const unsigned = /^InvalidSignature\(/;
const recordKey = /^(0x[0-9a-f]{64}):recordDelivery:(\d+)$/;

/** The block of a reverted call, and the gas that it used. */
type Reverted = { gasUsed: number; blockNumber: bigint };

export type SignerFaultCheck = ReturnType<typeof createSignerFaultCheck>;

/**
 * Decides whether a mined call failed through its signer's fault. A concurrent call, or a passed deadline, is nobody's
 * fault. A key burns no gas, so its failed calls are not its fault either; but a payer can move its money away, key or
 * not.
 *
 * A wallet can revert with the error of a concurrent call. It is blamed if the call used much gas.
 */
export function createSignerFaultCheck({ chain, node }: Pick<RelayParts, "chain" | "node">) {
  return async function isSignersFault(row: Relay, reason: string, reverted: Reverted): Promise<boolean> {
    const { signer, forFunded, gasBound } = row;
    if (!signer) return false;
    const hasCode = await node.hasCode(signer);
    // A factory refuses a wallet that exists: another transaction deployed it.
    if (gasBound === gasBounds.deployment) return !hasCode;
    if (!hasCode) return !forFunded && !overtaken.test(reason);
    if (overtaken.test(reason)) {
      const isEscrows = row.to.toLowerCase() === chain.escrow_contract.toLowerCase();
      return reverted.gasUsed > gasOfOvertaken && !(isEscrows && late.test(reason));
    }
    return !(unsigned.test(reason) && (await wasRecorded(row, reverted.blockNumber)));
  };

  /** Whether the delivery of a relay was recorded by the end of a block. */
  async function wasRecorded({ key }: Relay, blockNumber: bigint): Promise<boolean> {
    const [, escrowId, number] = recordKey.exec(key) ?? [];
    if (!escrowId) return false;
    return (await node.readDeliveryCount(escrowId as Hex, blockNumber)) >= Number(number);
  }
}
