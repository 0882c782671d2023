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
 * A line may hold text of others, and may be read in a terminal. Characters that a terminal acts on are escaped.
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
      openOutput((lines) =>
        log.warn({ lines }, "lines of the log were lost, as standard output took no more"),
      ),
  );
  return log;
}

/** The bytes that wait while nobody reads standard output. Later lines are lost: the service goes on. */
const mostOfAll = 4 * 1024 * 1024;

/**
 * Standard output, written to while the program goes on. Waiting lines are written when the process exits.
 *
 * @param logLost is told how many lines were lost, once the output takes lines again
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

/** Without what viem says of a request, credentials in URLs, and our own kinds of tokens and secrets. */
function redact(text: string, urls: string[]): string {
  return urls
    .reduce((left, url) => left.replaceAll(url, new URL(url).origin), text)
    .replaceAll(/^ *(Request body|Raw Call Arguments|data|args): .*$/gm, "$1: (left out)")
    .replaceAll(/\/\/[^/\s@]+@/g, "//(left out)@")
    .replaceAll(/\b(es[tk]|whsec)_[\w+/=-]{20,}/g, "$1_(left out)");
}
