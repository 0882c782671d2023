import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import type { FaultPlan } from "./faults.ts";
import type { Lie } from "./lies.ts";

export type FaultyProxy = { url: string; close: () => Promise<void> };

type Whole = { status: number; headers: IncomingMessage["headers"]; body: Buffer };

/**
 * A proxy between a client and the service, with the faults of networks and of other proxies.
 *
 * @param lie changes what the service says
 */
export async function startProxy(target: string, plan: FaultPlan, lie: Lie | null): Promise<FaultyProxy> {
  // A connection for each request: the service may close a kept one at any moment, which would be a fault beside the plan's.
  const agent = new Agent({ keepAlive: false });

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/" } = request;
    const path = new URL(url, target).pathname;
    const fault = path.startsWith(apiPath) ? plan.next(method, path.slice(apiPath.length)) : null;
    if (fault?.fault === "reset") {
      request.socket.resetAndDestroy();
      return;
    }
    const body = await buffer(request);
    if (fault?.fault === "refused") {
      answer(response, refusal(fault.status, fault.retry_after));
      return;
    }
    const forward = () => ask(target + url, { method, headers: request.headers, agent }, body);
    const [truth] = await Promise.all(fault?.fault === "twice" ? [forward(), forward()] : [forward()]);
    const whole =
      lie && (truth.status < 300 || truth.status === 402) ? await falsify(lie, path, request, truth) : truth;
    if (fault?.fault === "late") await sleep(fault.ms);
    if (fault?.fault === "lost") {
      request.socket.destroy();
    } else if (fault?.fault === "gateway") {
      answer(response, refusal(fault.status));
    } else if (fault?.fault === "cut") {
      response.writeHead(whole.status, { ...whole.headers, "content-length": whole.body.length });
      response.write(whole.body.subarray(0, whole.body.length / 2), () => request.socket.destroy());
    } else {
      answer(response, whole);
    }
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      agent.destroy();
    },
  };
}

/** Changes a JSON answer. */
async function falsify(lie: Lie, path: string, request: IncomingMessage, truth: Whole): Promise<Whole> {
  if (!/json/.test(truth.headers["content-type"] ?? "")) return truth;
  const { authorization = "" } = request.headers;
  const body: Record<string, unknown> = JSON.parse(truth.body.toString());
  const told = await lie(path.slice(apiPath.length), body, { authorization });
  // A lie that refuses what the service did.
  const status = "error" in told ? 402 : truth.status;
  return { ...truth, status, body: Buffer.from(JSON.stringify(told)) };
}

/** Answers like another proxy before the service: in its own form. */
function refusal(status: number, retryAfter?: number): Whole {
  return {
    status,
    headers: {
      "content-type": "text/html",
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    },
    body: Buffer.from(`<h1>${status}</h1>`),
  };
}

function answer(response: ServerResponse, { status, headers, body }: Whole): void {
  response.writeHead(status, { ...headers, "content-length": body.length }).end(body);
}

/** Headers of the connection, which are not forwarded. */
const hopHeaders = ["connection", "keep-alive", "transfer-encoding", "host", "content-length"];

async function ask(
  url: string,
  { method, headers, agent }: { method: string; headers: IncomingMessage["headers"]; agent: Agent },
  body: Buffer,
): Promise<Whole> {
  const length = body.length > 0 ? { "content-length": body.length } : {};
  const answered = await new Promise<IncomingMessage>((resolve, reject) => {
    send(url, { method, headers: { ...withoutHop(headers), ...length }, agent }, resolve)
      .once("error", reject)
      .end(body);
  });
  return {
    status: answered.statusCode ?? 502,
    headers: withoutHop(answered.headers),
    body: await buffer(answered),
  };
}

function withoutHop(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopHeaders.includes(name)));
}
