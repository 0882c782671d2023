import { createServer, type RequestListener } from "node:http";
import { ConfigError } from "../../config/config.ts";

/**
 * Serves the operator's pages on a port of their own, which asks for no key.
 *
 * @param pages by path; there is nothing else
 * @throws ConfigError when the port cannot be had
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
    // A page whose own name was turned to this address would be of this origin to its browser.
    if (isLoopback && !/^(localhost|[\d.]+|\[[\da-f:]+\])(:\d+)?$/i.test(request.headers.host ?? ""))
      return refuse(403, "Ask for the metrics by this machine's address, not by a name.\n");
    const path = request.url?.split("?")[0] ?? "";
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (!page) return refuse(404, `There is nothing here but ${paths.join(", ")}.\n`);
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(405, "Metrics are only read.\n");
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
  `Port ${port}, for the metrics, is taken by another program: end that one, or set METRICS_PORT to a free one (0 for no metrics).`;

/** A page of numbers as Prometheus reads them; 503 where they cannot be read. */
export function textPage(read: () => Promise<string>): RequestListener {
  return async (_, response) => {
    const text = await read().catch(() => null);
    response
      .writeHead(text === null ? 503 : 200, {
        "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
        "Cache-Control": "no-store",
      })
      .end(text ?? "The numbers cannot be read now.\n");
  };
}
