import { type DestinationStream, type Logger, pino } from "pino";
import { escapeControls } from "../receipts/printable.ts";
import type { Config } from "./config.ts";
import { traceFields } from "./tracing.ts";

/**
 * A log of JSON lines, on standard output or at `destination`. A line within a span has the ids of its trace.
 *
 * Errors are written with their message, code and cause, never with their values. Values of a database error name rows.
 * Values of a node's error have the request and the node's URL, which may hold a key.
 *
 * A line may contain untrusted text. Control characters of a terminal are escaped.
 */
export function createLog(
  config: Pick<Config, "logLevel" | "chains">,
  process: string,
  destination?: DestinationStream,
): Logger {
  const urls = config.chains.flatMap(({ rpc_url, ws_url }) => (ws_url ? [rpc_url, ws_url] : [rpc_url]));
  const options = {
    level: config.logLevel,
    base: { process },
    mixin: traceFields,
    serializers: { err: (error: unknown) => describe(error, urls) },
    hooks: { streamWrite: (line: string) => `${escapeControls(line.slice(0, -1))}\n` },
  };
  const log: Logger = pino(
    options,
    destination ??
      openOutput((lines) => log.warn({ lines }, "log lines were lost, because standard output was blocked")),
  );
  return log;
}

/** The most bytes that wait while standard output is blocked. Later lines are lost. */
const mostOfAll = 4 * 1024 * 1024;

/**
 * Standard output, written to while the program goes on. Waiting lines are written when the process exits.
 *
 * @param logLost called with the number of lost lines, once the output takes lines again
 */
function openOutput(logLost: (lines: number) => void): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, maxLength: mostOfAll });
  let lost = 0;
  output.on("drop", () => {
    lost += 1;
  });
  output.on("drain", () => {
    const lines = lost;
    lost = 0;
    if (lines > 0) logLost(lines);
  });
  return output;
}

type Described = { type: string; message: string; code?: string; stack?: string; cause?: Described };

function describe(error: unknown, urls: string[], depth = 0): Described {
  if (!(error instanceof Error)) return { type: typeof error, message: redact(String(error), urls) };
  const { name, message, stack, cause } = error;
  const code = "code" in error ? String(error.code) : undefined;
  return {
    type: name,
    message: redact(message, urls),
    ...(code ? { code } : {}),
    ...(stack ? { stack: redact(stack, urls) } : {}),
    ...(cause && depth < 5 ? { cause: describe(cause, urls, depth + 1) } : {}),
  };
}

/** Removes viem's text of a request, credentials in URLs, and the service's tokens and secrets. */
function redact(text: string, urls: string[]): string {
  return urls
    .reduce((left, url) => left.replaceAll(url, new URL(url).origin), text)
    .replaceAll(/^ *(Request body|Raw Call Arguments|data|args): .*$/gm, "$1: (left out)")
    .replaceAll(/\/\/[^/\s@]+@/g, "//(left out)@")
    .replaceAll(/\b(es[tk]|whsec)_[\w+/=-]{20,}/g, "$1_(left out)");
}
