import type { Earnest, ReleaseReceipt } from "../../clients/typescript/src/index.ts";
import { issuerOf, verifyX402Receipt } from "../../clients/typescript/src/receipts.ts";

export type ReceiptOptions = {
  buyer: Earnest;
  /** the service's name as an issuer */
  publicUrl: string;
  rpcUrl: string;
  say: (text: string) => void;
};

/**
 * Prints the receipt of a release, which the client has verified, and verifies the x402 receipt beside it.
 *
 * @throws if the x402 receipt does not verify, or names another transaction
 */
export async function showReceipt(receipt: ReleaseReceipt, options: ReceiptOptions): Promise<void> {
  const { buyer, publicUrl, rpcUrl, say } = options;
  const { document, keyId, chain } = receipt;
  const issuer = issuerOf(publicUrl);
  const { items } = await buyer.receipts.list(document.order_id);
  const released = items.find(({ claim }) => claim === "released");
  if (!released) throw new Error("The order has no receipt of the release.");
  say(`receipt  ${released.id}: ${released.claim}`);
  say(`the document's signature is good: ${keyId}`);
  const paid = await verifyX402Receipt(released.x402_receipt, { issuer, transaction: document.transaction });
  if (!paid.valid) {
    throw new Error(`The x402 receipt's signature is not good: ${paid.code}, ${paid.message}`);
  }
  say("the x402 receipt's signature is good, and it names the same transaction");
  if (!chain?.checked || !chain.agrees)
    throw new Error("The receipt was not compared with the chain, or differs from it.");
  say(`the chain agrees: the money moved (confirmations: ${chain.confirmations})`);
  say(
    `to verify it yourself: npm run verify -- ${buyer.baseUrl}/receipts/${released.id} --issuer ${issuer} --rpc ${rpcUrl}`,
  );
}
