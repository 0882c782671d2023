import {
  type Account,
  type Address,
  BaseError,
  formatEther,
  type Hex,
  type PublicClient,
  parseEther,
  parseGwei,
  type Transport,
  type WalletClient,
} from "viem";
import { ConfigError } from "../../config/config.ts";

/** The CREATE2 deployer, which is at this address on most chains and on anvil. */
export const create2Deployer: Address = "0x4e59b44847b379578588920cA78FbF26c0B4956C";
export const deployerCode: Hex =
  "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";

/** The one transaction of an account whose key nobody has. It deploys the deployer on any chain (Nick's method). */
export const presigned = {
  from: "0x3fAB184622Dc19b6109349B94811493BF2a45362",
  transaction:
    "0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222",
  gasPrice: parseGwei("100"),
  /** its gas limit at its price */
  cost: parseEther("0.01"),
} as const satisfies { from: Address; transaction: Hex; gasPrice: bigint; cost: bigint };

/**
 * Plans the CREATE2 deployer of a chain.
 *
 * @returns the wei that its presigned transaction still needs, or null if the deployer is there
 * @throws ConfigError if the deployer can never be at its address
 */
export async function planDeployer(reader: PublicClient): Promise<{ funds: bigint } | null> {
  const code = await reader.getCode({ address: create2Deployer });
  if (code === deployerCode) return null;
  const chain = `Chain ${await reader.getChainId()}`;
  if (code) {
    throw new ConfigError(
      `${chain} has other code at ${create2Deployer} than the CREATE2 deployer's, so the escrow would not get the address it has elsewhere. Deploy on another chain.`,
    );
  }
  const [nonce, balance, block] = await Promise.all([
    reader.getTransactionCount({ address: presigned.from }),
    reader.getBalance({ address: presigned.from }),
    reader.getBlock(),
  ]);
  if (nonce > 0) {
    throw new ConfigError(
      `${chain} has no CREATE2 deployer at ${create2Deployer}, and its presigned transaction has failed there. Deploy on another chain, or ask the chain's operator to place the deployer.`,
    );
  }
  if ((block.baseFeePerGas ?? 0n) > presigned.gasPrice) {
    throw new ConfigError(
      `${chain} has no CREATE2 deployer at ${create2Deployer}. Its presigned transaction pays 100 gwei for gas, and the chain takes more at present: try again later.`,
    );
  }
  return { funds: balance < presigned.cost ? presigned.cost - balance : 0n };
}

/**
 * Places the CREATE2 deployer by its presigned transaction.
 *
 * @throws ConfigError if the node refuses that transaction
 */
export async function placeDeployer(
  reader: PublicClient,
  writer: WalletClient<Transport, undefined, Account>,
  { funds, report }: { funds: bigint; report: (line: string) => void },
): Promise<void> {
  // The account's money would be lost if the node refuses the transaction, so the node is asked before.
  const early = await broadcast(reader);
  if (early !== null && refusesUnprotected.test(early)) throw refused(early);
  if (early !== null && funds > 0n) {
    const hash = await writer.sendTransaction({ to: presigned.from, value: funds, chain: null });
    report(`sent ${hash}: ${formatEther(funds)} for the CREATE2 deployer's presigned transaction`);
    await reader.waitForTransactionReceipt({ hash });
  }
  const late = early === null ? null : await broadcast(reader);
  for (let tries = 0; tries < 120; tries++) {
    if ((await reader.getCode({ address: create2Deployer })) === deployerCode) {
      report(`placed the CREATE2 deployer at ${create2Deployer}`);
      return;
    }
    if (late !== null && !/known|nonce/i.test(late)) break;
    await new Promise((resolve) => setTimeout(resolve, reader.pollingInterval));
  }
  throw refused(late ?? "it was not mined in time");
}

/** Sends the presigned transaction. Returns the node's words of refusal, or null. */
async function broadcast(reader: PublicClient): Promise<string | null> {
  try {
    await reader.sendRawTransaction({ serializedTransaction: presigned.transaction });
    return null;
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    return error.details || error.shortMessage;
  }
}

/** The words of nodes that take only transactions with a chain id (EIP-155). */
const refusesUnprotected = /replay|protected|eip-?155|chain ?id/i;

const refused = (words: string) =>
  new ConfigError(
    `The node refuses the presigned transaction of the CREATE2 deployer: ${words}. Use a node that takes transactions without a chain id, or ask the chain's operator to place the deployer at ${create2Deployer}.`,
  );
