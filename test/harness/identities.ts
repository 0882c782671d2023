import type { Account, Address, Hex } from "viem";
import { parseEventLogs } from "viem";
import { identityRegistryAbi } from "../../abis/registries.ts";
import type { TestChain } from "./chain.ts";

/** The registries of a test's chain. */
export function registriesOf({ chain }: TestChain) {
  if (!chain.erc8004) throw new Error("The test's chain has no ERC-8004 registries.");
  return chain.erc8004;
}

/** Sends a transaction of the Identity Registry, which must succeed. */
export async function changeIdentities(
  chain: TestChain,
  account: Account,
  functionName: "approve" | "setApprovalForAll" | "transferFrom" | "setAgentURI",
  args: readonly unknown[],
): Promise<bigint> {
  const hash = await chain.wallet(account).writeContract({
    address: registriesOf(chain).identity_registry,
    abi: identityRegistryAbi,
    functionName,
    args,
  } as never);
  return (await confirm(chain, hash)).blockNumber;
}

/** Registers an on-chain identity of this account. Returns its number. */
export async function registerIdentity(chain: TestChain, account: Account, uri = ""): Promise<bigint> {
  await chain.fund(account);
  const hash = await chain.wallet(account).writeContract({
    address: registriesOf(chain).identity_registry,
    abi: identityRegistryAbi,
    functionName: "register",
    args: [uri],
  });
  const { logs } = await confirm(chain, hash);
  const [event] = parseEventLogs({ abi: identityRegistryAbi, eventName: "Registered", logs });
  if (!event) throw new Error("The registration has no event.");
  return event.args.agentId;
}

/** Sends a call from the API description, from this account's own wallet. */
export async function sendCall(
  chain: TestChain,
  account: Account,
  call: { to: Address; data: Hex },
): Promise<Hex> {
  const hash = await chain.wallet(account).sendTransaction({ to: call.to, data: call.data });
  await confirm(chain, hash);
  return hash;
}

async function confirm(chain: TestChain, hash: Hex) {
  const receipt = await chain.publicClient.waitForTransactionReceipt({ hash });
  if (receipt.status !== "success") throw new Error(`The test's own transaction ${hash} reverted.`);
  return receipt;
}
