import http, { type IncomingMessage, type OutgoingHttpHeaders, type RequestListener } from "node:http";
import { getPath } from "hono/utils/url";
import { type Config, ConfigError } from "../config.ts";

/** Where the indexer serves its metrics unless told. */
const usualPort = 42_070;
const paths = ["/metrics", "/metrics/earnest"];
/** A path that neither Ponder nor the API has. */
const nowhere = "/nowhere";

/**
 * Serves the metrics on a port of their own, and takes them off the one that strangers reach: there their paths are
 * unknown ones. Ponder has one server for both and knows no setting for it, so its server is made by us.
 *
 * @param serve whether this process is the API alone, of which a machine may run several: it has no port unless told
 * @throws ConfigError when the port cannot be had
 */
export async function divideMetrics(config: Pick<Config, "metrics">, { serve = false } = {}): Promise<void> {
  const { host, port = serve ? 0 : usualPort } = config.metrics;
  let listener: RequestListener | undefined;
  if (port !== 0) await listen({ host, port }, () => listener);

  const { createServer } = http;
  // Every server from here on, so that none is open by an oversight: Ponder makes others to look for a port.
  const createPublic = (...settings: Parameters<typeof createServer>) => {
    const server = createServer(...settings);
    const [all] = server.listeners("request");
    if (all) listener = all as RequestListener;
    return server.prependListener("request", (request) => {
      if (asksForMetrics(request)) lead(request, nowhere);
    });
  };
  Object.assign(http, { createServer: createPublic });
}

/** Whether Ponder's server would take it for a request for metrics, or it comes near: no other path begins so. */
function asksForMetrics({ url: target = "", headers }: IncomingMessage): boolean {
  // As @hono/node-server puts it together, where even the `Host` may hold a path; what is no URL it refuses.
  const url = URL.parse(/^https?:\/\//.test(target) ? target : `http://${headers.host}${target}`);
  return url !== null && /^\/+metrics/i.test(getPath({ url: url.href } as Request));
}

function lead(request: IncomingMessage, path: string): void {
  request.url = path;
  request.headers.host = "localhost";
}

async function listen(
  { host, port }: { host: string; port: number },
  findListener: () => RequestListener | undefined,
): Promise<void> {
  const isLoopback = /^(localhost|127\..*|::1)$/.test(host);
  const server = http.createServer((request, response) => {
    const refuse = (status: number, sentence: string) =>
      response.writeHead(status, { "Content-Type": "text/plain", "Cache-Control": "no-store" }).end(sentence);
    const path = request.url?.split("?")[0] ?? "";
    const listener = findListener();
    // A page whose own name was turned to this address would be of this origin to its browser.
    if (isLoopback && !/^(localhost|[\d.]+|\[[\da-f:]+\])(:\d+)?$/i.test(request.headers.host ?? ""))
      return refuse(403, "Ask for the metrics by this machine's address, not by a name.\n");
    if (!paths.includes(path)) return refuse(404, `There is nothing here but ${paths.join(" and ")}.\n`);
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(405, "Metrics are only read.\n");
    if (!listener) return refuse(503, "The indexer is starting.\n");
    lead(request, path);
    const writeHead = response.writeHead.bind(response);
    Object.assign(response, {
      writeHead: (status: number, headers: OutgoingHttpHeaders = {}) =>
        writeHead(status, withoutCors(headers)),
    });
    return listener(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new ConfigError(
          error.code === "EADDRINUSE"
            ? `Port ${port}, for the metrics, is taken by another program: end that one, or set METRICS_PORT to a free one (0 for no metrics).`
            : `The metrics cannot be served on METRICS_HOST ${host}, METRICS_PORT ${port}: ${error.message}`,
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  server.unref();
}

/** Ponder lets pages of every origin read all that it serves. */
function withoutCors(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^access-control-/i.test(name)));
}
