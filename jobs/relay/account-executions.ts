import { type Address, decodeFunctionData, erc20Abi, type Hex, isAddressEqual } from "viem";
import { passkeyAccountFactoryAbi } from "../../abis/passkeyAccount.ts";
import type { Relay } from "./relay-row.ts";
import type { RelayParts } from "./transactions.ts";

/** The relay key of a passkey account's transfer. */
const executeKey = /^\d+:(0x[0-9a-f]{40}):execute:(\d+)$/;

/** The most blocks that are searched for the transfer. */
const searchedBlocks = 1000n;

/** A transaction of somebody else that made the calls of a relay. */
type Overtaking = { transactionHash: Hex; blockNumber: bigint };

/**
 * Finds out whether another transaction made a passkey account's transfer. Anybody can send a signed transfer, and the
 * relay of it then reverts, because its nonce is used.
 */
export function createAccountExecutions({ chain, node }: Pick<RelayParts, "chain" | "node">) {
  /** @param until the last block that counts */
  return async function findOvertaking(
    { key, data }: Pick<Relay, "key" | "data">,
    until: bigint,
  ): Promise<Overtaking | null> {
    const [, address, nonce] = executeKey.exec(key) ?? [];
    if (!address || nonce === undefined) return null;
    const account = address as Address;
    const isUsed = async (block?: bigint) => (await node.readAccountNonce(account, block)) > BigInt(nonce);
    if (!(await isUsed(until).catch(() => isUsed()))) return null;
    const transfer = readTransfer(data, chain.token.address);
    if (!transfer) return null;
    const since = until > searchedBlocks ? until - searchedBlocks : 0n;
    const found = await node.readTransfers({ ...transfer, from: account }, since, until);
    for (const each of found.toReversed()) {
      // An earlier transfer of the same amount used an earlier nonce. A node without this old state cannot tell.
      const wasUsed = await isUsed(each.blockNumber - 1n).catch(() => false);
      if (!wasUsed && (await isUsed(each.blockNumber).catch(() => true))) return each;
    }
    return null;
  };
}

/** Reads the one transfer of the token that a relay makes; null for other calls. */
function readTransfer(data: Hex, token: Address): { to: Address; amount: bigint } | null {
  const made = decodeFunctionData({ abi: passkeyAccountFactoryAbi, data });
  if (made.functionName !== "createAndExecute") return null;
  const [call] = made.args[2];
  if (!call || !isAddressEqual(call.to, token)) return null;
  const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: call.data });
  return functionName === "transfer" ? { to: args[0], amount: args[1] } : null;
}
