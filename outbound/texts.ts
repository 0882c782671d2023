import { Resolver } from "node:dns/promises";
import { isAbsence } from "./resolve.ts";

/** What the DNS has at a name: its texts, none where there is no such name or record; or why that is not known. */
export type Texts =
  | { found: "texts"; texts: string[] }
  /** it is an alias (CNAME) of another name, whose owner has a say in what is there */
  | { found: "alias" }
  | { found: "nothing known"; code: string };

export interface TextsOptions {
  /** DNS servers as `address:port`; the system's unless told. */
  servers?: readonly string[] | undefined;
  /** For everything. 5 seconds unless told. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Asks the DNS for the TXT records at a name itself (RFC 1035), each with its strings joined. An alias is not followed: a
 * wildcard alias of a domain would hand every name below it to whoever it leads to. Never throws.
 */
export async function readTexts(
  name: string,
  { servers, timeoutMs = 5000, signal }: TextsOptions = {},
): Promise<Texts> {
  const resolver = new Resolver({ timeout: Math.max(1, Math.floor(timeoutMs / 3)), tries: 2 });
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  const timer = setTimeout(cancel, timeoutMs);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const asking = Promise.all([
      absentAsNone(resolver.resolveCname(name)),
      absentAsNone(resolver.resolveTxt(name)),
    ]);
    if (signal?.aborted) cancel();
    const [aliases, texts] = await asking;
    if (aliases.length > 0) return { found: "alias" };
    return { found: "texts", texts: texts.map((strings) => strings.join("")) };
  } catch (error) {
    return { found: "nothing known", code: (error as NodeJS.ErrnoException).code ?? "unknown" };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

async function absentAsNone<T>(asked: Promise<T[]>): Promise<T[]> {
  try {
    return await asked;
  } catch (error) {
    if (isAbsence((error as NodeJS.ErrnoException).code)) return [];
    throw error;
  }
}
