import { queryDns } from "./dns-query.ts";

/** The TXT records at a name, none if there is no such name or record; or the reason why they are unknown. */
export type Texts =
  | { found: "texts"; texts: string[] }
  /** the name is an alias (CNAME): the owner of its target controls its records */
  | { found: "alias" }
  | { found: "nothing known"; code: string };

export interface TextsOptions {
  /** DNS servers as `address:port`; the system's by default. */
  servers?: readonly string[] | undefined;
  /** Milliseconds for the whole query; 5 seconds by default. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Queries the DNS for the TXT records at a name (RFC 1035), each with its strings joined. An alias is not followed:
 * the target of a wildcard alias would own every name below the domain. Never throws.
 *
 * The answer for TXT may show an alias that a server denies when it is asked for the alias, so both answers are read.
 */
export async function readTexts(
  name: string,
  { servers, timeoutMs = 5000, signal }: TextsOptions = {},
): Promise<Texts> {
  const all = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  const options = { servers, timeoutMs: Math.max(1, Math.floor(timeoutMs / 3)), signal: all };
  try {
    const answers = await Promise.all([queryDns(name, "CNAME", options), queryDns(name, "TXT", options)]);
    const records = answers.flat();
    const isOwn = (owner: string) => owner.toLowerCase() === name.toLowerCase();
    if (records.some((record) => record.type === "CNAME" || !isOwn(record.name))) return { found: "alias" };
    const texts = records.flatMap((record) => (record.type === "TXT" ? [joinStrings(record.data)] : []));
    return { found: "texts", texts };
  } catch (error) {
    return { found: "nothing known", code: (error as NodeJS.ErrnoException).code ?? "unknown" };
  }
}

function joinStrings(data: string | Buffer | (string | Buffer)[]): string {
  return Buffer.concat([data].flat().map((one) => Buffer.from(one))).toString();
}
