import { createServer, type RequestListener } from "node:http";
import { ConfigError } from "../../config/config.ts";

/**
 * Serves the operator's pages on their own port, without authentication.
 *
 * @param pages the pages by path
 * @throws ConfigError when the port is not available
 */
export async function serveMetrics(
  { host, port }: { host: string; port: number },
  pages: Record<string, RequestListener>,
): Promise<void> {
  const isLoopback = /^(localhost|127\..*|::1)$/.test(host);
  const paths = Object.keys(pages);
  const server = createServer((request, response) => {
    const refuse = (status: number, sentence: string) =>
      response.writeHead(status, { "Content-Type": "text/plain", "Cache-Control": "no-store" }).end(sentence);
    // DNS rebinding: a page whose name resolves to this machine would have the same origin.
    if (isLoopback && !/^(localhost|[\d.]+|\[[\da-f:]+\])(:\d+)?$/i.test(request.headers.host ?? ""))
      return refuse(403, "Request the metrics by this machine's address, not by a name.\n");
    const path = request.url?.split("?")[0] ?? "";
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (!page) return refuse(404, `There is no such page. The pages are ${paths.join(", ")}.\n`);
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(405, "Use GET or HEAD.\n");
    page(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new ConfigError(
          error.code === "EADDRINUSE"
            ? metricsTaken(port)
            : `The metrics cannot be served on METRICS_HOST ${host}, METRICS_PORT ${port}: ${error.message}`,
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  server.unref();
}

export const metricsTaken = (port: number) =>
  `Port ${port}, for the metrics, is taken by another program: stop that program, or set METRICS_PORT to a free port (0 for no metrics).`;

/** Makes a page in Prometheus's text format; 503 if the metrics cannot be read. */
export function metricsPage(read: () => Promise<string>): RequestListener {
  return async (_, response) => {
    const text = await read().catch(() => null);
    response
      .writeHead(text === null ? 503 : 200, {
        "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
        "Cache-Control": "no-store",
      })
      .end(text ?? "The metrics cannot be read now.\n");
  };
}
