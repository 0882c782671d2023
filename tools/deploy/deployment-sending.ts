import {
  type Account,
  BaseError,
  type Hex,
  type PublicClient,
  type Transport,
  WaitForTransactionReceiptTimeoutError,
  type WalletClient,
} from "viem";
import { ConfigError } from "../../config/config.ts";
import { addressOf, type Deployment, deploymentCall, findDeployment, type Missing } from "./create2.ts";

type Sender = {
  reader: PublicClient;
  writer: WalletClient<Transport, undefined, Account>;
  /** the blocks that a deployment waits for, its own included */
  confirmations: number;
  report: (line: string) => void;
};

/**
 * Deploys contracts, one transaction for each, and waits for their confirmations. Anybody may deploy the same contract first:
 * the address and the code are the same, so that contract counts.
 *
 * @returns the deployments by name
 * @throws ConfigError if a transaction cannot be sent or is not mined in time
 */
export async function sendDeployments(
  { reader, writer, confirmations, report }: Sender,
  missing: Missing[],
): Promise<Map<string, Deployment>> {
  const isDeployed = async ({ creationCode }: Missing) =>
    Boolean(await reader.getCode({ address: addressOf(creationCode) }));
  const sent: (Missing & { hash: Hex | null })[] = [];
  for (const one of missing) {
    const hash = await writer
      .sendTransaction({ ...deploymentCall(one.creationCode), chain: null })
      .catch(async (error) => {
        if (await isDeployed(one)) return null;
        if (!(error instanceof BaseError)) throw error;
        throw new ConfigError(
          `The deployment of ${one.what} could not be sent: ${error.details || error.shortMessage} Run the same command again: it goes on from here.`,
          { cause: error },
        );
      });
    report(hash ? `sent ${hash}: ${one.what}` : `somebody deployed the same contract meanwhile: ${one.what}`);
    sent.push({ ...one, hash });
  }
  if (confirmations > 1) report(`waiting for ${confirmations} confirmations`);
  const made = new Map<string, Deployment>();
  for (const one of sent) made.set(one.what, await confirm(one));
  return made;

  async function confirm({ what, creationCode, hash }: Missing & { hash: Hex | null }): Promise<Deployment> {
    if (!hash) return findDeployment(reader, creationCode);
    const receipt = await reader
      .waitForTransactionReceipt({ hash, confirmations, timeout: confirmationMinutes * 60_000 })
      .catch((cause) => {
        if (!(cause instanceof WaitForTransactionReceiptTimeoutError)) throw cause;
        throw new ConfigError(
          `${hash} was sent, but did not get ${confirmations} confirmations within ${confirmationMinutes} minutes. Run the same command again later: it adopts the deployed contract.`,
          { cause },
        );
      });
    if (receipt.status === "success") return { block: receipt.blockNumber, transaction: hash };
    if (await isDeployed({ what, creationCode })) return findDeployment(reader, creationCode);
    throw new ConfigError(
      `The deployment ${hash} of ${what} reverted. See the transaction in a block explorer, and run the same command again.`,
    );
  }
}

/** Minutes within which a transaction should be mined and confirmed. */
const confirmationMinutes = 15;
