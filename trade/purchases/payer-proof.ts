import { getAddress, type PublicClient, parseErc6492Signature } from "viem";
import type { Chain } from "../../config/config.ts";
import { digestToSign, readKeySignature } from "../../protocol/settlement/signatures.ts";
import { identify, type SignedPayment, signedPaymentData } from "../../protocol/settlement/x402-payload.ts";
import type { ProvedWallet } from "../accounts/wallet-claim.ts";
import { chainSilent } from "../chain-answers.ts";
import { refuse } from "../payments/payment-refusal.ts";
import { recoverSigner } from "../signer-recovery.ts";

/**
 * Says whose wallet a payment proves, once `checkPayment` found it good: a key is known on every chain, and what is no
 * key's signature was taken by the payer's contract on this chain (ERC-1271, ERC-6492). No signature for anything else
 * can stand in: what was signed pays one order's deposit address.
 *
 * @throws PaymentRefusal where it is neither; Refusal `dependency_unavailable` when the chain could not be asked
 */
export async function provePayer(
  { chain, client }: { chain: Chain; client: PublicClient },
  signed: SignedPayment,
): Promise<ProvedWallet> {
  const { method, payer } = identify(signed);
  const address = getAddress(payer);
  const digest = digestToSign(signedPaymentData({ chainId: chain.chain_id, token: chain.token }, signed));
  const { signature, address: factory } = parseErc6492Signature(signed.signature);
  if (await readKeySignature(digest, signature, address, recoverSigner)) return { address, chainId: null };
  const code = await client.getCode({ address }).catch(() => {
    throw chainSilent();
  });
  // A key's signature in a form that only a token takes proves no contract.
  if (code || factory) return { address, chainId: chain.chain_id };
  throw refuse(method === "eip3009" ? "invalid_exact_evm_signature" : "invalid_permit2_signature");
}
