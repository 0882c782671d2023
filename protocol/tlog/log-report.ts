import type { LogErrorCode } from "./errors.ts";
import type { LoggedReceipt } from "./logged-receipt.ts";
import { type LogLookup, type LookupFailure, type LookupOptions, lookUpReceipt } from "./lookup.ts";

export type LogReportOptions = LookupOptions & {
  /** Treats a receipt that is not in the log as a failure. */
  isRequired: boolean;
  /** The name of the memory's file, which the report of a broken history names. */
  memoryFile?: string;
  /** Prints lines, which may contain text from the network. */
  print: (...lines: string[]) => void;
};

/** The failures that a memory of an older log with the same name has, too. */
const ofHistory: readonly LogErrorCode[] = ["tile_unavailable", "wrong_tile", "forked", "rolled_back"];

/** Looks a receipt up in the log of its issuer and prints the result. Returns false for a failure. */
export async function reportLookup(receipt: LoggedReceipt, options: LogReportOptions): Promise<boolean> {
  const { isRequired, print } = options;
  let found: LogLookup | LookupFailure;
  try {
    found = await lookUpReceipt(receipt, options);
  } catch (error) {
    // The local memory failed, not the log.
    print("log: not compared", `  ${error instanceof Error ? error.message : error}`);
    return false;
  }
  if (!found.valid) {
    print(...describe(found));
    if (options.memoryFile !== undefined && ofHistory.includes(found.code))
      print(`  The memory is ${options.memoryFile}`);
    if (found.evidence) {
      print("  Keep both checkpoints: they prove that the log shows different histories.");
      print(...indent(found.evidence.remembered));
      print(...indent(found.evidence.given));
    }
    return found.outcome !== "contradicted" && !isRequired;
  }
  const { checkpoint, index, cosignatures, pinned, seen } = found;
  print(`log: contains the receipt, entry ${index} of ${checkpoint.size} in ${checkpoint.origin}`);
  if (!pinned) print("  key          from the issuer's host; pin it by --log-key or --policy");
  for (const { witness, at } of cosignatures) {
    print(`  witness      ${witness}, at ${new Date(at * 1000).toISOString()}`);
  }
  if (seen === "nothing") print("  history      seen for the first time; its checkpoint is remembered");
  else if (seen) print("  history      continues the remembered checkpoint");
  return true;
}

function describe({ outcome, code, message }: LookupFailure): string[] {
  const verdicts = {
    contradicted: "contradicts itself",
    absent: "does not contain the receipt",
    unknown: "not known",
  };
  return [`log: ${verdicts[outcome]}, ${code}`, `  ${message}`];
}

const indent = (note: string) =>
  note
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`);
