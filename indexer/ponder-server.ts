import http, { type OutgoingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";

/** What Ponder answers. */
export const ponderPages = ["/metrics", "/health", "/ready", "/status"] as const;

/**
 * Takes Ponder's HTTP server off the network: Ponder knows no setting for that. The servers that it makes from here on
 * listen nowhere.
 *
 * @returns what answers as Ponder's server would, without leave for pages of other origins
 */
export function holdPonderServer(): RequestListener {
  let answer: RequestListener | undefined;
  const { createServer } = http;
  const createHeld = (...settings: Parameters<typeof createServer>) => {
    const server = createServer(...settings);
    const [all] = server.listeners("request");
    if (all) answer = all as RequestListener;
    const soon = (event: string | undefined, done: unknown) => {
      setImmediate(() => {
        if (event) server.emit(event);
        if (typeof done === "function") done();
      });
      return server;
    };
    return Object.assign(server, {
      listen: (...given: unknown[]) => soon("listening", given.at(-1)),
      close: (done?: unknown) => soon(undefined, done),
    });
  };
  Object.assign(http, { createServer: createHeld });
  return (request, response) => {
    request.url = request.url?.split("?")[0] ?? "";
    if (!answer) return answerBefore(request.url, response);
    request.headers.host = "localhost";
    const writeHead = response.writeHead.bind(response);
    Object.assign(response, {
      writeHead: (status: number, headers: OutgoingHttpHeaders = {}) =>
        writeHead(status, withoutCors(headers)),
    });
    return answer(request, response);
  };
}

/** One that waits for another is up, has no numbers of its own, and is not ready. */
function answerBefore(path: string, response: ServerResponse): void {
  response.setHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  if (path === "/health" || path === "/metrics") response.writeHead(200).end();
  else response.writeHead(503).end("The indexer is starting, or waits for another one to end.\n");
}

/** Ponder lets pages of every origin read all that it serves. */
function withoutCors(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^access-control-/i.test(name)));
}
