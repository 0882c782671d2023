import { type Address, type Hex, type PublicClient, parseAbi, serializeTransaction } from "viem";
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

/** The OP Stack's oracle of the data fee on the parent chain, which gas estimates do not include. */
const gasPriceOracle: Address = "0x420000000000000000000000000000000000000F";
const oracleAbi = parseAbi(["function getL1Fee(bytes) view returns (uint256)"]);

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
  const [estimates, price, fees, chainId, hasOracle] = await Promise.all([
    Promise.all(
      calls.map((call) => reader.estimateGas({ ...call, stateOverride, ...(from ? { account: from } : {}) })),
    ),
    reader.getGasPrice(),
    reader.estimateFeesPerGas(),
    reader.getChainId(),
    reader.getCode({ address: gasPriceOracle }),
  ]);
  const gas = estimates.reduce((sum, estimate) => sum + estimate, 0n);
  let dataFee = 0n;
  for (const call of hasOracle ? calls : []) {
    const transaction = serializeTransaction({ ...call, ...fees, chainId, gas, type: "eip1559" });
    dataFee += await reader.readContract({
      address: gasPriceOracle,
      abi: oracleAbi,
      functionName: "getL1Fee",
      args: [transaction],
    });
  }
  return {
    gas,
    price,
    expected: gas * price + dataFee + placing,
    required: gas * fees.maxFeePerGas + dataFee + 2n * placing,
  };
}
