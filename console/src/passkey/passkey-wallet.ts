import type { Earnest } from "earnest-client";
import { type Address, type Hex, hashMessage, hashTypedData, type LocalAccount } from "viem";
import { toAccount } from "viem/accounts";
import { passkeyMessageHash, withDeployment } from "../../../protocol/settlement/index.ts";
import { WalletProblem } from "../problems/problem.ts";
import { factoryOn, signChallenge } from "./ceremony.ts";
import type { Passkey } from "./stored-passkeys.ts";

/**
 * A passkey's account as a signer. It sends its deployment along with each signature (ERC-6492), which the service leaves
 * out once the account exists. It has no node and sends no transactions.
 */
export function passkeyWallet(passkey: Passkey, chainId: number): LocalAccount {
  const { x, y } = passkey;
  const factory = factoryOn(chainId);
  const address = passkey.address as Address;
  const sign = async (hash: Hex): Promise<Hex> => {
    const challenge = passkeyMessageHash({ account: address, chainId }, hash);
    return withDeployment(factory, { x, y }, await signChallenge(passkey, challenge));
  };
  return toAccount({
    address,
    signMessage: ({ message }) => sign(hashMessage(message)),
    signTypedData: (data) => sign(hashTypedData(data as Parameters<typeof hashTypedData>[0])),
    signTransaction: () => Promise.reject(new WalletProblem("no_transactions")),
  });
}

/** The types of signatures that the token asks the account for. The service deploys the account with them. */
const payments = ["TransferWithAuthorization", "ReceiveWithAuthorization"];
/** Milliseconds between two questions, and the most questions. */
const pollInterval = 1_000;
const maxPolls = 60;

/**
 * Makes sure that the escrow can ask the account for a signature of this type: waits until the account is deployed.
 *
 * @throws ApiError if none of the account's orders is funded
 */
export async function requireDeployed(
  client: Earnest,
  { address, chainId, primaryType }: { address: string; chainId: number; primaryType: string },
): Promise<void> {
  if (payments.includes(primaryType)) return;
  const { items } = await client.wallets.list();
  const wallet = items.find(
    (each) => each.address.toLowerCase() === address.toLowerCase() && each.chain_id === chainId,
  );
  if (!wallet) return;
  for (let polls = 0; polls < maxPolls; polls++) {
    const { relay } = await client.wallets.deploy(wallet.id);
    if (!relay) return;
    await new Promise((resolve) => setTimeout(resolve, pollInterval));
  }
  throw new WalletProblem("node_dead");
}
