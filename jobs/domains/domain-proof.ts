import type { ProofProblem } from "../../db/schema.ts";
import { fileUrl, recordName } from "../../trade/domains/domain-name.ts";
import { type SendOptions, sendGuarded } from "../../untrusted/outbound/guarded-request.ts";
import { readTexts, type TextsOptions } from "../../untrusted/outbound/txt-records.ts";

/** What a look at a domain found: the way by which it is proved, or what is wrong with each. */
export type Found =
  | { method: "dns" | "file" }
  | { method: null; dns: Missed; file: Missed }
  | { method: "aborted" };

/** `isAbsent`: it was there to be seen that the line is not, as against not being able to see. */
export type Missed = { problem: ProofProblem; isAbsent: boolean };

export type ProofOptions = {
  texts: TextsOptions;
  send: Pick<SendOptions, "policy" | "headers" | "timeoutMs" | "signal" | "ca" | "lookup">;
  /** Of the file's server; 443 but in tests. */
  port?: number | undefined;
};

const mostFileBytes = 16_384;

/** Looks for the line that proves a domain, in the DNS and in the file side by side. Never throws for what it finds. */
export async function lookForProof(
  { domain, proof }: { domain: string; proof: string },
  { texts, send, port = 443 }: ProofOptions,
): Promise<Found> {
  const [dns, file] = await Promise.all([
    lookInTexts(recordName(domain), proof, { ...texts, signal: send.signal }),
    lookInFile(fileUrl(domain, port), proof, send),
  ]);
  if (dns === true) return { method: "dns" };
  if (file === true) return { method: "file" };
  return send.signal?.aborted ? { method: "aborted" } : { method: null, dns, file };
}

async function lookInTexts(name: string, proof: string, options: TextsOptions): Promise<true | Missed> {
  const found = await readTexts(name, options);
  if (found.found === "nothing known") {
    return missed(false, "dns_failed", `The DNS did not answer for ${name} (${found.code}).`);
  }
  if (found.found === "alias") {
    return missed(true, "alias", `${name} is an alias (CNAME): the record has to be at this name itself.`);
  }
  if (found.texts.some((text) => text.trim() === proof)) return true;
  return found.texts.length === 0
    ? missed(true, "no_record", `There is no TXT record at ${name}.`)
    : missed(true, "other_record", `No TXT record at ${name} is the line.`);
}

async function lookInFile(url: string, proof: string, send: ProofOptions["send"]): Promise<true | Missed> {
  const result = await sendGuarded(url, { ...send, method: "GET", maxResponseBytes: mostFileBytes });
  if (!result.ok) return missed(false, result.error, result.message);
  const { status, body, broken } = result;
  if (status !== 200) {
    const message = `${url} answered ${status}; redirects are not followed.`;
    return missed(status < 500 && status !== 429, "other_status", message);
  }
  if (body.split(/\r\n|\r|\n/).some((line) => line.trim() === proof)) return true;
  if (broken) return missed(false, broken.error, broken.message);
  return missed(
    true,
    "no_line",
    `No line of ${url} is the line, as far as its first ${mostFileBytes} bytes.`,
  );
}

function missed(isAbsent: boolean, code: string, message: string): Missed {
  return { problem: { code, message }, isAbsent };
}
