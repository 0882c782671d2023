import { getAddress, type PublicClient, parseErc6492Signature } from "viem";
import type { Chain, Token } from "../../config/config.ts";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { digestToSign, readKeySignature } from "../../protocol/settlement/signatures.ts";
import {
  paymentKeyOf,
  type SignedPayment,
  signedPaymentData,
} from "../../protocol/settlement/x402-payload.ts";
import type { ProvedWallet } from "../accounts/wallet-claim.ts";
import { isWalletSignature } from "../erc1271.ts";
import { chainUnreachable } from "../node-breaker.ts";
import { refusePayment } from "../payments/payment-refusal.ts";
import { recoverSigner } from "../signer-recovery.ts";

/**
 * Returns the wallet that a payment proves, after `checkPayment`. A key is valid on every chain. Any other signature
 * was accepted by the payer's contract on this chain (ERC-1271, ERC-6492). The signature pays the deposit address of
 * one order, so it proves nothing elsewhere.
 *
 * @throws PaymentRefusal if it proves no wallet; Refusal `dependency_unavailable` if the chain does not answer
 */
export async function provePayer(
  { chain, client }: { chain: Chain; client: PublicClient },
  token: Token,
  signed: SignedPayment,
): Promise<ProvedWallet> {
  const { method, payer } = paymentKeyOf(signed);
  const address = getAddress(payer);
  const { address: factory } = parseErc6492Signature(signed.signature);
  if (await isSignedByKey(chain.chain_id, token, signed)) return { address, chainId: null };
  const code = await client.getCode({ address }).catch(() => {
    throw chainUnreachable();
  });
  // A key's signature in a form that only the token accepts proves no contract.
  if (code || factory) return { address, chainId: chain.chain_id };
  throw refusePayment(method === "eip3009" ? "invalid_exact_evm_signature" : "invalid_permit2_signature");
}

/** Whether the payer's own key made the signature of a payment. */
export async function isSignedByKey(chainId: number, token: Token, signed: SignedPayment): Promise<boolean> {
  const digest = digestToSign(signedPaymentData({ chainId, token }, signed));
  const { signature } = parseErc6492Signature(signed.signature);
  return (await readKeySignature(digest, signature, paymentKeyOf(signed).payer, recoverSigner)) !== null;
}

/** Whether the payer's contract on this chain accepts the signature of a payment (ERC-1271). The contract's code is untrusted. */
export async function isSignedByContract(
  { chain, client }: { chain: Chain; client: PublicClient },
  token: Token,
  signed: SignedPayment,
): Promise<boolean> {
  const digest = digestToSign(signedPaymentData({ chainId: chain.chain_id, token }, signed));
  const signer = getAddress(paymentKeyOf(signed).payer);
  try {
    return await isWalletSignature(client, { signer, digest, signature: signed.signature });
  } catch (error) {
    if (isContractAnswer(error)) return false;
    throw chainUnreachable();
  }
}
