import {
  type Address,
  type Hex,
  type PublicClient,
  serializeTransaction,
  type TransactionReceipt,
} from "viem";
import { z } from "zod";
import type { Chain } from "../../config/config.ts";
import {
  type DataFeeKind,
  findDataFeeKind,
  readDataGas,
  readOracleFee,
} from "../../protocol/settlement/data-fees.ts";
import type { Fees } from "./fees.ts";
import type { MinedBlock } from "./relay-row.ts";

/** The charge of a rollup for a call's data on its parent chain. */
export type DataFee = {
  /** wei beside the gas (OP Stack) */
  wei: bigint;
  /** gas beside the call's own (Arbitrum) */
  gas: bigint;
};

const none: DataFee = { wei: 0n, gas: 0n };

/** Milliseconds after which a chain without data fees is checked again. */
const checkAgainAfter = 3_600_000;
/** A value that no transaction of a relay exceeds, so that the serialized form is not too short. */
const longestNumber = 2 ** 32;

/** Makes the reader of data fees on a chain. The fee of the parent chain may rise by a quarter until the call is mined. */
export function createDataFees(client: PublicClient, { chain_id: chainId }: Pick<Chain, "chain_id">) {
  let kind: DataFeeKind = "none";
  let checkedAt = Number.NEGATIVE_INFINITY;

  return async ({ to, data }: { to: Address; data: Hex }, fees: Fees): Promise<DataFee> => {
    if (kind === "none" && Date.now() - checkedAt >= checkAgainAfter) {
      kind = await findDataFeeKind(client);
      checkedAt = Date.now();
    }
    if (kind === "none") return none;
    if (kind === "arbitrum") return { wei: 0n, gas: withRoom(await readDataGas(client, { to, data })) };
    const transaction = serializeTransaction({
      type: "eip1559",
      chainId,
      to,
      data,
      ...fees,
      nonce: longestNumber,
      gas: BigInt(longestNumber),
    });
    return { wei: withRoom(await readOracleFee(client, transaction)), gas: 0n };
  };
}

const withRoom = (fee: bigint) => fee + (fee + 3n) / 4n;

/**
 * Whether a call costs more than its bound at the chain's highest price: the price of gas is within the limit, and the data
 * is too expensive.
 *
 * @param call.bound the gas that the service pays for, without the gas for data
 */
export function isDataTooExpensive(
  { gas, bound, dataFee }: { gas: bigint; bound: bigint; dataFee: DataFee },
  { price, ceiling }: { price: bigint; ceiling: bigint },
): boolean {
  return gas * price + dataFee.wei > bound * ceiling;
}

const number = z.union([z.bigint(), z.string().transform(BigInt)]).nullish();
/** The fields of receipts of the OP Stack, in wei, and of Arbitrum, in gas. */
const dataFields = z.object({ l1Fee: number, gasUsedForL1: number });
const readDataFields = (receipt: object) => dataFields.safeParse(receipt).data;

/** Returns the gas that the execution of a transaction used, without the gas for its data. */
export function executionGasOf(receipt: Pick<TransactionReceipt, "gasUsed">): bigint {
  return receipt.gasUsed - (readDataFields(receipt)?.gasUsedForL1 ?? 0n);
}

/**
 * Reads the block of a receipt. A data fee is charged to budgets as gas at the chain's highest price, so that a budget
 * bounds the wei of both.
 */
export function blockOf(
  receipt: TransactionReceipt,
  { max_fee_per_gas: ceiling }: Pick<Chain, "max_fee_per_gas">,
): MinedBlock {
  const { blockNumber, blockHash, gasUsed } = receipt;
  const wei = readDataFields(receipt)?.l1Fee ?? 0n;
  return { blockNumber, blockHash, gasUsed, gasCharged: gasUsed + (wei + ceiling - 1n) / ceiling };
}
