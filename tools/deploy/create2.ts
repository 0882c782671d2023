import {
  type Address,
  concat,
  getContractAddress,
  type Hex,
  keccak256,
  type PublicClient,
  toBytes,
} from "viem";
import { ConfigError } from "../../config/config.ts";
import { create2Deployer } from "./deployer.ts";

/** The salt of all chains and builds, so that an address depends on the creation code alone. */
export const salt = keccak256(toBytes("Earnest Escrow 1"));

/** Computes the address of the contract with this creation code, which is the same on every chain. */
export const addressOf = (creationCode: Hex): Address =>
  getContractAddress({ opcode: "CREATE2", from: create2Deployer, salt, bytecode: creationCode });

/** A contract that has yet to be deployed. */
export type Missing = { what: string; creationCode: Hex };

/** The call that deploys the contract. */
export const deploymentCall = (creationCode: Hex) => ({
  to: create2Deployer,
  data: concat([salt, creationCode]),
});

export type Deployment = { block: bigint; transaction: Hex | null };

/**
 * Finds the block and the transaction that deployed an existing contract. The transaction is null if another contract made it.
 *
 * @param known.transaction the transaction in the manifest, which is checked first
 * @param known.block the setting DEPLOY_BLOCK. If it is set, only this block is searched
 * @throws ConfigError if the node lacks the old states for the search, or the block does not hold the deployment
 */
export async function findDeployment(
  reader: PublicClient,
  creationCode: Hex,
  known: { transaction?: Hex | null; block?: bigint | undefined } = {},
): Promise<Deployment> {
  if (known.transaction) {
    const [transaction, receipt] = await Promise.all([
      reader.getTransaction({ hash: known.transaction }),
      reader.getTransactionReceipt({ hash: known.transaction }),
    ]).catch(() => []);
    if (receipt?.status === "success" && deploys(transaction, creationCode)) {
      return { block: receipt.blockNumber, transaction: known.transaction };
    }
  }
  const block = known.block ?? (await findFirstBlock(reader, addressOf(creationCode)));
  const transaction = await findTransaction(reader, block, creationCode);
  if (known.block !== undefined && !transaction) {
    throw new ConfigError(
      `DEPLOY_BLOCK is ${block}, but no transaction of that block deployed ${addressOf(creationCode)} through ${create2Deployer}. A block explorer shows at that address the transaction that created it, and its block.`,
    );
  }
  return { block, transaction };
}

const deploys = (transaction: { to: Address | null; input: Hex }, creationCode: Hex): boolean =>
  transaction.to?.toLowerCase() === create2Deployer.toLowerCase() &&
  transaction.input === deploymentCall(creationCode).data;

async function findTransaction(reader: PublicClient, block: bigint, creationCode: Hex): Promise<Hex | null> {
  const { transactions } = await reader.getBlock({ blockNumber: block, includeTransactions: true });
  for (const transaction of transactions.filter((one) => deploys(one, creationCode))) {
    // A second deployment in the same block fails: the deployer reverts if the contract exists.
    const { status } = await reader.getTransactionReceipt({ hash: transaction.hash });
    if (status === "success") return transaction.hash;
  }
  return null;
}

/** Finds the first block with code at the address. Steps back from the head double, because nodes keep recent states. */
async function findFirstBlock(reader: PublicClient, address: Address): Promise<bigint> {
  const hasCode = async (blockNumber: bigint): Promise<boolean> => {
    try {
      return Boolean(await reader.getCode({ address, blockNumber }));
    } catch (error) {
      throw stateless(address, `has no state of block ${blockNumber} (${messageOf(error)})`);
    }
  };
  let after = await reader.getBlockNumber({ cacheTime: 0 });
  let before = -1n;
  for (let step = 1n; after > 0n; step *= 2n) {
    const probed: bigint = after > step ? after - step : 0n;
    if (!(await hasCode(probed))) {
      before = probed;
      break;
    }
    after = probed;
  }
  if (before < 0n) throw stateless(address, "answers for every old block with the newest state");
  while (after - before > 1n) {
    const middle = (after + before) / 2n;
    if (await hasCode(middle)) after = middle;
    else before = middle;
  }
  return after;
}

const stateless = (address: Address, what: string) =>
  new ConfigError(
    `The escrow exists at ${address}, but its deployment block cannot be found: the node ${what}. Use an archive node, or set DEPLOY_BLOCK to the block of the transaction that created ${address}. A block explorer shows it.`,
  );

function messageOf(error: unknown): string {
  const { details, shortMessage, message } = error as {
    details?: string;
    shortMessage?: string;
    message: string;
  };
  return details || shortMessage || message;
}
