import type { LoggedReceipt } from "./logged-receipt.ts";
import { type LogLookup, type LookupFailure, type LookupOptions, lookUpReceipt } from "./lookup.ts";

export type LogReportOptions = LookupOptions & {
  /** Whether a receipt that is not found in the log is a failure. */
  isRequired: boolean;
  /** prints lines that hold what others wrote */
  print: (...lines: string[]) => void;
};

/** Looks a receipt up in its issuer's log, and prints what was found. Returns whether what was asked is good. */
export async function reportLookup(receipt: LoggedReceipt, options: LogReportOptions): Promise<boolean> {
  const { isRequired, print } = options;
  let found: LogLookup | LookupFailure;
  try {
    found = await lookUpReceipt(receipt, options);
  } catch (error) {
    // The local memory failed, not the log.
    print("log: could not be compared", `  ${error instanceof Error ? error.message : error}`);
    return false;
  }
  if (!found.valid) {
    print(...describe(found));
    if (found.evidence) {
      print("  Keep both: they prove to anybody that the log shows different histories.");
      print(...indent(found.evidence.remembered));
      print(...indent(found.evidence.given));
    }
    return found.outcome !== "contradicted" && !isRequired;
  }
  const { checkpoint, index, cosignatures, pinned, seen } = found;
  print(`log: has it, entry ${index} of ${checkpoint.size} in ${checkpoint.origin}`);
  if (!pinned) print("  key          as the issuer's host gives it; pin it by --log-key or --policy");
  for (const { witness, at } of cosignatures) {
    print(`  witness      ${witness}, at ${new Date(at * 1000).toISOString()}`);
  }
  if (seen === "nothing") print("  history      seen for the first time, and remembered from now on");
  else if (seen) print("  history      continues what was seen before");
  return true;
}

function describe({ outcome, code, message }: LookupFailure): string[] {
  const verdicts = { contradicted: "contradicts itself", absent: "does not have it", unknown: "not known" };
  return [`log: ${verdicts[outcome]}, ${code}`, `  ${message}`];
}

const indent = (note: string) =>
  note
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`);
