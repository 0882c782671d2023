import { type Address, type Hex, type PublicClient, serializeTransaction } from "viem";
import { findDataFeeKind, readOracleFee } from "../../protocol/settlement/data-fees.ts";
import { create2Deployer, deployerCode } from "./deployer.ts";

/** The gas of a transfer of coins. */
const transferGas = 21_000n;

export type Cost = {
  /** the gas of all calls */
  gas: bigint;
  /** the present price of gas, in wei */
  price: bigint;
  /** The expected cost in wei, including an OP Stack chain's data fee. */
  expected: bigint;
  /** The balance in wei that the account needs. */
  required: bigint;
};

/**
 * Estimates the cost of calls. The calls are only simulated, so `from` needs no coins.
 *
 * @param deployer the CREATE2 deployer that must be placed first, with the wei for it
 */
export async function estimateCost(
  reader: PublicClient,
  from: Address | undefined,
  calls: { to: Address; data: Hex }[],
  deployer: { funds: bigint } | null = null,
): Promise<Cost> {
  const stateOverride = deployer ? [{ address: create2Deployer, code: deployerCode }] : undefined;
  const placing = deployer ? deployer.funds + transferGas * (await reader.getGasPrice()) : 0n;
  const [estimates, price, fees, chainId, dataFees] = await Promise.all([
    Promise.all(
      calls.map((call) => reader.estimateGas({ ...call, stateOverride, ...(from ? { account: from } : {}) })),
    ),
    reader.getGasPrice(),
    reader.estimateFeesPerGas(),
    reader.getChainId(),
    findDataFeeKind(reader),
  ]);
  const gas = estimates.reduce((sum, estimate) => sum + estimate, 0n);
  let dataFee = 0n;
  for (const call of dataFees === "op_stack" ? calls : []) {
    const transaction = serializeTransaction({ ...call, ...fees, chainId, gas, type: "eip1559" });
    dataFee += await readOracleFee(reader, transaction);
  }
  return {
    gas,
    price,
    expected: gas * price + dataFee + placing,
    required: gas * fees.maxFeePerGas + dataFee + 2n * placing,
  };
}
