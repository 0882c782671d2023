import { type Address, type Hex, type PublicClient, parseAbi } from "viem";

/** The OP Stack's oracle of the fee for a transaction's data on the parent chain, which gas estimates do not include. */
const gasPriceOracle: Address = "0x420000000000000000000000000000000000000F";
const oracleAbi = parseAbi(["function getL1Fee(bytes) view returns (uint256)"]);

/** Arbitrum's system contract, whose code is one invalid opcode, and the interface that its nodes answer for. */
const arbSys: Address = "0x0000000000000000000000000000000000000064";
const arbSysCode = "0xfe";
const nodeInterface: Address = "0x00000000000000000000000000000000000000C8";
const nodeInterfaceAbi = parseAbi([
  "function gasEstimateL1Component(address to, bool contractCreation, bytes data) view returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)",
]);

/**
 * The way in which a rollup charges for data on its parent chain. The OP Stack takes a fee beside the gas. On Arbitrum the
 * charge is a part of the gas.
 */
export type DataFeeKind = "op_stack" | "arbitrum" | "none";

type Reader = Pick<PublicClient, "getCode" | "readContract">;

/** Finds how a chain charges for data, by the contracts that the chain has from its start. */
export async function findDataFeeKind(client: Reader): Promise<DataFeeKind> {
  const [oracle, system] = await Promise.all([
    client.getCode({ address: gasPriceOracle }),
    client.getCode({ address: arbSys }),
  ]);
  if (oracle) return "op_stack";
  return system === arbSysCode ? "arbitrum" : "none";
}

/** Reads the OP Stack's fee in wei for the data of an unsigned transaction. */
export function readOracleFee(client: Reader, serializedTransaction: Hex): Promise<bigint> {
  return client.readContract({
    address: gasPriceOracle,
    abi: oracleAbi,
    functionName: "getL1Fee",
    args: [serializedTransaction],
  });
}

/** Reads the part of the gas that Arbitrum charges for the data of a call. */
export async function readDataGas(client: Reader, { to, data }: { to: Address; data: Hex }): Promise<bigint> {
  const [gas] = await client.readContract({
    address: nodeInterface,
    abi: nodeInterfaceAbi,
    functionName: "gasEstimateL1Component",
    args: [to, false, data],
  });
  return gas;
}
