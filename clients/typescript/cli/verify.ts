import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { createPublicClient, http } from "viem";
import { rememberInFile } from "../../../protocol/tlog/checkpoint-file.ts";
import { UntrustedOrderError } from "../src/index.ts";
import { confirmOnChain, findNode, verifyReceipt } from "../src/receipts.ts";
import { lookUpReceipt, partsInLog } from "../src/tlog.ts";
import { type Format, printOne } from "./print.ts";
import { verifySignedRecord } from "./record.ts";
import { UsageError } from "./settings.ts";

export type VerifyOptions = Format & {
  /** The file of the document; `-` reads standard input. */
  file?: string;
  issuer?: string;
  rpc?: string[];
  /** The file with the policy of witnesses. */
  policy?: string;
  /** The document is a signed record of an agent, not a receipt. */
  record: boolean;
  agent?: string;
};

/**
 * Verifies a receipt with its issuer's log and the chain, or a signed record, and prints what it says.
 *
 * @throws UntrustedOrderError if the document is not valid, or the log or the chain contradicts it
 */
export async function verify(words: VerifyOptions): Promise<void> {
  const { file, issuer, rpc, policy, record, agent, json } = words;
  if (!file || !issuer) throw new UsageError("earnest verify <file>|- --issuer <did>");
  if (agent !== undefined && !record) throw new UsageError("--agent needs --record.");
  const document = file === "-" ? await text(process.stdin) : readFileSync(file, "utf8");
  if (record) {
    return verifySignedRecord(document, { issuer, ...(agent === undefined ? {} : { agent }) }, { json });
  }
  const checked = await verifyReceipt(document, { issuer });
  if (!checked.valid) throw new UntrustedOrderError(null, "receipt", "a valid receipt", checked.code);
  const { order_id, amount, transaction } = checked.document;
  const nodes = (rpc ?? []).map((url) => createPublicClient({ transport: http(url) }));
  const node = await findNode(nodes, checked.document.chain);
  const chain = node && (await confirmOnChain(checked, node));
  if (chain && !(chain.checked && chain.agrees)) {
    throw new UntrustedOrderError(order_id, "receipt", "the event on the chain", chain.code);
  }
  const log = await lookUpReceipt(partsInLog({ document }), {
    issuer,
    memory: rememberInFile(),
    ...(policy === undefined ? {} : { policy: readFileSync(policy, "utf8") }),
  });
  if (!log.valid && (policy !== undefined || log.outcome === "contradicted")) {
    throw new UntrustedOrderError(order_id, "receipt", "an entry in the issuer's log", log.code);
  }
  printOne(
    {
      good: true,
      claim: checked.claim,
      order_id,
      amount,
      transaction,
      chain: chain ? "agrees" : "not asked",
      log: log.valid ? `entry ${log.index} of ${log.checkpoint.size}` : log.code,
    },
    { json },
  );
}
