/** What a receipt's page runs in its reader's browser: the checks of the receipt, and whether the log has it. */
import "../receipts/page.ts";
import { lookUpReceipt } from "./lookup.ts";
import type { LogMemory } from "./memory.ts";
import { partsInLog } from "./receipt.ts";

/** What is used of a browser's page. */
declare const document: { querySelector(selector: string): PageElement | null };
declare const localStorage: {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
};
interface PageElement {
  textContent: string | null;
  dataset: Record<string, string | undefined>;
}

const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? undefined;
const verdict = document.querySelector("#log-verdict");
const text = textOf("#document");
if (verdict && text) {
  const result = await lookUpReceipt(partsInLog({ document: text, jws: textOf("#x402") }), {
    issuer: document.querySelector("main")?.dataset.issuer ?? "",
    memory: browserMemory(),
  });
  if (result.valid) {
    const { index, checkpoint, seen } = result;
    verdict.dataset.valid = "true";
    verdict.textContent = `The log ${checkpoint.origin} has it: entry ${index} of ${checkpoint.size}. ${
      seen === null || seen === "nothing"
        ? "This browser remembers the log from now on."
        : "The log continues what this browser saw of it before."
    }`;
  } else {
    const isFalse = result.outcome === "contradicted";
    if (isFalse) verdict.dataset.valid = "false";
    verdict.textContent = `${isFalse ? "The log contradicts itself" : "Not found in the log"}: ${result.code}. ${result.message}`;
  }
}

/** What this browser remembers of logs; nothing where it keeps nothing for this page. */
function browserMemory(): LogMemory | undefined {
  const nameOf = (origin: string) => `earnest-log:${origin}`;
  try {
    localStorage.getItem(nameOf(""));
  } catch {
    return undefined;
  }
  return {
    get: (origin) => localStorage.getItem(nameOf(origin)),
    set: (origin, checkpoint) => localStorage.setItem(nameOf(origin), checkpoint),
  };
}
