import { type Address, type Hex, type PublicClient, parseAbi, serializeTransaction } from "viem";

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

/** Estimates the cost of calls. The calls are only simulated, so `from` needs no coins. */
export async function estimateCost(
  reader: PublicClient,
  from: Address | undefined,
  calls: { to: Address; data: Hex }[],
): Promise<Cost> {
  const [estimates, price, fees, chainId, hasOracle] = await Promise.all([
    Promise.all(calls.map((call) => reader.estimateGas({ ...call, ...(from ? { account: from } : {}) }))),
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
    expected: gas * price + dataFee,
    required: gas * fees.maxFeePerGas + dataFee,
  };
}
