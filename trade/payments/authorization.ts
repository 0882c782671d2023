import { type Address, type Hex, type PublicClient, parseAbi } from "viem";
import { passkeyAccountAbi } from "../../abis/passkeyAccount.ts";
import type { Chain } from "../../config/config.ts";
import { permit2Address } from "../../protocol/settlement/x402.ts";
import { nonceBit } from "../../protocol/settlement/x402-payload.ts";
import type { PaymentIdentity } from "./payments.ts";

const usedAbi = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function nonceBitmap(address owner, uint256 word) view returns (uint256)",
]);

/**
 * Whether the token (EIP-3009), Permit2 or the passkey account has used the payer's authorization, from any sender, or the
 * payer has cancelled it.
 *
 * @throws viem's error
 */
export async function isAuthorizationUsed(
  client: PublicClient,
  token: Address,
  { method, payer, nonce }: PaymentIdentity,
): Promise<boolean> {
  if (method === "eip3009") {
    return client.readContract({
      abi: usedAbi,
      address: token,
      functionName: "authorizationState",
      args: [payer, nonce as Hex],
    });
  }
  if (method === "account_calls") {
    const code = await client.getCode({ address: payer });
    if (!code || code === "0x") return false;
    const next = await client.readContract({ abi: passkeyAccountAbi, address: payer, functionName: "nonce" });
    return next > BigInt(nonce);
  }
  const { word, mask } = nonceBit(nonce);
  const bitmap = await client.readContract({
    abi: usedAbi,
    address: permit2Address,
    functionName: "nonceBitmap",
    args: [payer, word],
  });
  return (bitmap & mask) !== 0n;
}

/**
 * Returns the seconds for which a payment must still be valid, so that it is mined in time. The minimum is six, as in x402,
 * or two blocks of a slow chain, which has two or three polls a block. A late payment would waste the service's gas.
 */
export function secondsToMine({ polling_interval }: Pick<Chain, "polling_interval">): bigint {
  return BigInt(Math.max(6, Math.ceil((6 * polling_interval) / 1000)));
}
