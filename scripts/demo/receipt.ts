import type { PublicClient } from "viem";
import { confirmOnChain, issuerOf, verifyReceipt, verifyX402Receipt } from "../../receipts/index.ts";

export type ReleaseOptions = {
  /** where the API answers, and what the service calls itself */
  baseUrl: string;
  publicUrl: string;
  rpcUrl: string;
  reader: PublicClient;
  /** of the order, as `GET /orders/{id}/receipts` gives them */
  receipts: { id: string; claim: string; document: Record<string, unknown>; x402_receipt: string }[];
  say: (text: string) => void;
};

/**
 * Checks the receipt of a release as its holder would: with the keys that its issuer publishes, and at the chain.
 *
 * @throws where it does not verify, or the chain does not agree
 */
export async function checkRelease({ baseUrl, publicUrl, rpcUrl, reader, receipts, say }: ReleaseOptions) {
  const issuer = issuerOf(publicUrl);
  const receipt = receipts.find(({ claim }) => claim === "released");
  if (!receipt) throw new Error("The order has no receipt of its release.");
  say(`receipt  ${receipt.id}: ${receipt.claim}`);
  const checked = await verifyReceipt(receipt.document, { issuer });
  if (!checked.valid) {
    throw new Error(`The receipt's signature is not good: ${checked.code}, ${checked.message}`);
  }
  say(`the document's signature is good: ${checked.keyId}`);
  const { transaction } = checked.document;
  const paid = await verifyX402Receipt(receipt.x402_receipt, { issuer, transaction });
  if (!paid.valid) {
    throw new Error(`The x402 receipt's signature is not good: ${paid.code}, ${paid.message}`);
  }
  say("the x402 receipt's signature is good, and it names the same transaction");
  const seen = await confirmOnChain(checked, reader);
  if (!seen.checked || !seen.agrees) {
    throw new Error(`The chain does not agree: ${seen.code}, ${seen.message}`);
  }
  say(`the chain agrees: the money moved (confirmations: ${seen.confirmations})`);
  say(
    `again, by yourself: npm run verify -- ${baseUrl}/api/v1/receipts/${receipt.id} --issuer ${issuer} --rpc ${rpcUrl}`,
  );
}
