/** The script of a receipt's page. It verifies the receipt and looks it up in the log. */
import "../../receipts/page-script.ts";
import { describeHistory, rememberInBrowser } from "./browser.ts";
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
    verdict.textContent = `The log ${checkpoint.origin} contains the receipt: entry ${index} of ${checkpoint.size}. ${describeHistory(seen)}`;
  } else {
    const isContradicted = result.outcome === "contradicted";
    if (isContradicted) verdict.dataset.valid = "false";
    verdict.textContent = `${isContradicted ? "The log contradicts itself" : "Not found in the log"}: ${result.code}. ${result.message}`;
  }
}
