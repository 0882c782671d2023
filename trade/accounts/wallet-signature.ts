// Checks which wallet signed a message: a key, or a contract on a chain.

import {
  type Address,
  type Hex,
  hashMessage,
  isAddressEqual,
  isErc6492Signature,
  parseErc6492Signature,
  size,
} from "viem";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import type { Context } from "../context.ts";
import { isWalletSignature, withCappedGas } from "../erc1271.ts";
import { recoverSigner } from "../signer-recovery.ts";
import { isOfPasskey, isSignedHere } from "./passkey-signature.ts";
import type { ProvedWallet } from "./wallet-claim.ts";

/** Returns the wallet that signed a message: the address as a key, or as a contract on the chain; null if neither did. */
export async function findSigningWallet(
  context: Context,
  { address, chainId }: { address: Address; chainId: number },
  message: string,
  signature: Hex,
): Promise<ProvedWallet | null> {
  if (isSignedByKey(address, message, signature)) return { address, chainId: null };
  return (await isSignedByContract(context, address, chainId, message, signature))
    ? { address, chainId }
    : null;
}

/** Whether the signature is by a key (EIP-191), also if it is wrapped for a contract (ERC-6492). A key is valid on every chain. */
function isSignedByKey(address: Address, message: string, signature: Hex): boolean {
  try {
    const signer = recoverSigner(hashMessage(message), parseErc6492Signature(signature).signature);
    return isAddressEqual(signer, address);
  } catch {
    return false;
  }
}

/** Whether a contract on this chain accepts the signature. The address may be another contract elsewhere. */
async function isSignedByContract(
  context: Context,
  address: Address,
  chainId: number,
  message: string,
  signature: Hex,
): Promise<boolean> {
  const served = context.chain(chainId);
  if (!served) return false;
  // The check below would report an unreachable chain as a bad signature, so this call comes first.
  const code = await served.client.getCode({ address });
  if (!code && !isErc6492Signature(signature)) return false;
  const factory = passkeyFactoryOf(context, chainId);
  if (isOfPasskey(factory, code, signature) && !isSignedHere(context.config.publicUrl, signature)) {
    return false;
  }
  if (size(signature) >= 32)
    return withCappedGas(served.client).verifyMessage({ address, message, signature });
  // The verifier of ERC-6492 reads the last 32 bytes, and fails on a shorter signature.
  const signed = { signer: address, digest: hashMessage(message), signature };
  return isWalletSignature(served.client, signed).catch((error: unknown) => {
    if (isContractAnswer(error)) return false;
    throw error;
  });
}

export const passkeyFactoryOf = (context: Context, chainId: number) =>
  context.chain(chainId)?.chain.passkey_factory as Address | undefined;
