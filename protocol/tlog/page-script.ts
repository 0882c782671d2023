/** The script of a receipt's page: it checks the receipt, and whether the log has it. */
import "../../receipts/page-script.ts";
import { rememberInBrowser, sayHistory } from "./browser.ts";
import { partsInLog } from "./logged-receipt.ts";
import { lookUpReceipt } from "./lookup.ts";

/** The parts of a browser's page that the script uses. */
declare const document: { querySelector(selector: string): PageElement | null };
interface PageElement {
  textContent: string | null;
  dataset: Record<string, string | undefined>;
}

const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? undefined;
const verdict = document.querySelector("#log-verdict");
const text = textOf("#document");
if (verdict && text) {
  const memory = rememberInBrowser();
  const result = await lookUpReceipt(partsInLog({ document: text, jws: textOf("#x402") }), {
    issuer: document.querySelector("main")?.dataset.issuer ?? "",
    ...(memory ? { memory } : {}),
  });
  if (result.valid) {
    const { index, checkpoint, seen } = result;
    verdict.dataset.valid = "true";
    verdict.textContent = `The log ${checkpoint.origin} has it: entry ${index} of ${checkpoint.size}. ${sayHistory(seen)}`;
  } else {
    const isFalse = result.outcome === "contradicted";
    if (isFalse) verdict.dataset.valid = "false";
    verdict.textContent = `${isFalse ? "The log contradicts itself" : "Not found in the log"}: ${result.code}. ${result.message}`;
  }
}
