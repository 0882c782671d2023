/** The script of a receipt's page. It verifies the text that the page shows. */
import "./page-policy.ts";
import type { StatusAnswer } from "./revocation.ts";
import { verifyReceipt, verifyX402Receipt } from "./verify.ts";

/** The parts of a browser's page that the script uses. */
declare const document: { querySelector(selector: string): PageElement | null };
interface PageElement {
  textContent: string | null;
  dataset: Record<string, string | undefined>;
}

const issuer = document.querySelector("main")?.dataset.issuer ?? "";

await Promise.all([
  showVerdict("document", (text) => verifyReceipt(text, { issuer })),
  showVerdict("x402", (text) => verifyX402Receipt(text, { issuer })),
]);

async function showVerdict(
  part: string,
  verify: (text: string) => ReturnType<typeof verifyReceipt | typeof verifyX402Receipt>,
): Promise<void> {
  const text = document.querySelector(`#${part}`)?.textContent;
  const verdict = document.querySelector(`#${part}-verdict`);
  if (!text || !verdict) return;
  const result = await verify(text);
  verdict.dataset.valid = String(result.valid);
  verdict.textContent = result.valid
    ? `The signature is valid: key ${result.keyId}. ${statusOf(result)}`
    : `Not valid: ${result.code}. ${result.message}`;
}

function statusOf({ status, statusReason }: StatusAnswer): string {
  if (status === "good") return "The issuer's list of revoked receipts does not contain it.";
  return `Its revocation status is unknown: ${statusReason.code}.`;
}
