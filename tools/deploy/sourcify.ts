import { z } from "zod";
import { ConfigError } from "../../config/config.ts";

const accepted = z.object({ verificationId: z.string().min(1).max(100) });
const refused = z.object({ customCode: z.string().max(100), message: z.string().max(1000) });
const job = z.object({
  isJobCompleted: z.boolean(),
  contract: z
    .object({ match: z.enum(["match", "exact_match"]).nullable() })
    .partial()
    .nullish(),
  error: z.object({ message: z.string().max(1000) }).nullish(),
});

/** Milliseconds for one request, and for a whole verification. */
const requestTime = 30_000;
const wholeTime = 300_000;

/**
 * Sends the sources of a contract to a server with Sourcify's API, version 2, and waits for its verdict.
 *
 * @param body a file of `writeSources`
 * @param options.pause milliseconds between two questions
 * @returns `exact_match`, `match`, or `already verified`
 * @throws ConfigError if the server does not answer, or finds other code
 */
export async function publishSources(
  server: string,
  { chainId, address, body }: { chainId: number; address: string; body: string },
  { pause = 1000 } = {},
): Promise<string> {
  const fail = (why: string) => {
    throw new ConfigError(`The sources of ${address} were not verified by ${server}: ${why}`);
  };
  const ask = async (path: string, init: RequestInit = {}) => {
    try {
      const signal = AbortSignal.timeout(requestTime);
      const answer = await fetch(`${server}${path}`, { ...init, redirect: "error", signal });
      return { status: answer.status, body: (await answer.json()) as unknown };
    } catch (error) {
      return fail(`${(error as Error).message}.`);
    }
  };
  const headers = { "content-type": "application/json" };
  const sent = await ask(`/v2/verify/${chainId}/${address}`, { method: "POST", headers, body });
  const ticket = accepted.safeParse(sent.body);
  if (sent.status !== 202 || !ticket.success) {
    const { customCode, message } = refused.safeParse(sent.body).data ?? {};
    if (customCode === "already_verified") return "already verified";
    return fail(message ?? `it answered ${sent.status}.`);
  }
  for (const end = Date.now() + wholeTime; Date.now() < end; ) {
    const { body: state } = await ask(`/v2/verify/${encodeURIComponent(ticket.data.verificationId)}`);
    const parsed = job.safeParse(state);
    if (!parsed.success) return fail("its answer is not that of Sourcify's API, version 2.");
    const { isJobCompleted, contract, error } = parsed.data;
    if (isJobCompleted) return contract?.match ?? fail(error?.message ?? "it found other code.");
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return fail("it needs too long. Run the same command again.");
}
