import type { ProofProblem } from "../../db/schema.ts";
import { fileUrl, recordName } from "../../trade/domains/domain-name.ts";
import { type SendOptions, sendGuarded } from "../../untrusted/outbound/guarded-request.ts";
import { readTexts, type TextsOptions } from "../../untrusted/outbound/txt-records.ts";

/** The result of a domain's check: the method that proves it, or the problem of each method. */
export type ProofResult =
  | { method: "dns" | "file" }
  | { method: null; dns: Missed; file: Missed }
  | { method: "aborted" };

/** `isAbsent`: the proof is certainly absent, and not just unreadable. */
export type Missed = { problem: ProofProblem; isAbsent: boolean };

export type ProofOptions = {
  texts: TextsOptions;
  send: Pick<SendOptions, "policy" | "headers" | "timeoutMs" | "signal" | "ca" | "lookup">;
  /** The port of the file's server; 443 except in tests. */
  port?: number | undefined;
};

const mostFileBytes = 16_384;

/** Looks for the line that proves a domain, in the DNS and in the file concurrently. Does not throw for any result. */
export async function findProof(
  { domain, proof }: { domain: string; proof: string },
  { texts, send, port = 443 }: ProofOptions,
): Promise<ProofResult> {
  const [dns, file] = await Promise.all([
    findInTexts(recordName(domain), proof, { ...texts, signal: send.signal }),
    findInFile(fileUrl(domain, port), proof, send),
  ]);
  if (dns === true) return { method: "dns" };
  if (file === true) return { method: "file" };
  return send.signal?.aborted ? { method: "aborted" } : { method: null, dns, file };
}

async function findInTexts(name: string, proof: string, options: TextsOptions): Promise<true | Missed> {
  const answer = await readTexts(name, options);
  if (answer.found === "nothing known") {
    return missed(false, "dns_failed", `The DNS did not answer for ${name} (${answer.code}).`);
  }
  if (answer.found === "alias") {
    return missed(true, "alias", `${name} is an alias (CNAME): put the record at this name itself.`);
  }
  if (answer.texts.some((text) => text.trim() === proof)) return true;
  return answer.texts.length === 0
    ? missed(true, "no_record", `There is no TXT record at ${name}: add one with the line.`)
    : missed(true, "other_record", `No TXT record at ${name} has the line: add one.`);
}

async function findInFile(url: string, proof: string, send: ProofOptions["send"]): Promise<true | Missed> {
  const response = await sendGuarded(url, { ...send, method: "GET", maxResponseBytes: mostFileBytes });
  if (!response.ok) return missed(false, response.error, response.message);
  const { status, body, broken } = response;
  if (status !== 200) {
    const message = `${url} answered ${status}: serve the file with status 200, without a redirect.`;
    return missed(status < 500 && status !== 429, "other_status", message);
  }
  if (body.split(/\r\n|\r|\n/).some((line) => line.trim() === proof)) return true;
  if (broken) return missed(false, broken.error, broken.message);
  return missed(
    true,
    "no_line",
    `The first ${mostFileBytes} bytes of ${url} do not contain the line: add it.`,
  );
}

function missed(isAbsent: boolean, code: string, message: string): Missed {
  return { problem: { code, message }, isAbsent };
}
