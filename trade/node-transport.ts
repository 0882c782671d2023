import { Agent, request } from "undici";
import {
  createTransport,
  HttpRequestError,
  RpcRequestError,
  stringify,
  TimeoutError,
  type Transport,
} from "viem";

/** Milliseconds for a connection, for the beginning of an answer, and between two parts of it. */
const patience = 10_000;
/** Bytes of an answer at most. */
const largestAnswer = 10_485_760;
/** Questions that go in one request at most. */
const mostTogether = 100;
/** Milliseconds for which a node that takes no batch is asked one by one. */
const rest = 600_000;

const agent = new Agent({
  connect: { timeout: patience },
  headersTimeout: patience,
  bodyTimeout: patience,
  maxResponseSize: largestAnswer,
});

type Question = { jsonrpc: "2.0"; id: number; method: string; params?: unknown };
type Answer = { id?: number; result?: unknown; error?: { code: number; message: string } };
type Waiting = { question: Question; settle: (answer: Answer) => void; fail: (error: unknown) => void };

/**
 * A node by HTTP, as viem's own `http` is one, for a third of its processor time: no `Request`, stream and timer for each
 * question. What is asked in one turn of the event loop goes in one request (JSON-RPC 2.0, section 6).
 *
 * @param url where the node is; a name and password in it are sent as basic authentication
 */
export function nodeByHttp(url: string): Transport {
  const place = new URL(url);
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (place.username) {
    const [name, password] = [place.username, place.password].map(decodeURIComponent);
    headers.authorization = `Basic ${btoa(`${name}:${password}`)}`;
    place.username = place.password = "";
  }
  const target = place.href;
  let ids = 0;
  let waiting: Waiting[] = [];
  let aloneUntil = 0;

  function ask(method: string, params: unknown): Promise<Answer> {
    return new Promise((settle, fail) => {
      if (waiting.length === 0) queueMicrotask(sendWaiting);
      ids += 1;
      waiting.push({ question: { jsonrpc: "2.0", id: ids, method, params }, settle, fail });
    });
  }

  function sendWaiting(): void {
    const all = waiting;
    waiting = [];
    const size = Date.now() < aloneUntil ? 1 : mostTogether;
    for (let at = 0; at < all.length; at += size) void sendTogether(all.slice(at, at + size));
  }

  async function sendTogether(some: Waiting[]): Promise<void> {
    const [first] = some;
    if (!first) return;
    try {
      if (some.length === 1) return first.settle((await post(first.question)) as Answer);
      const answers = await post(some.map(({ question }) => question)).catch((error: unknown) => {
        if (isRefused(error)) return null;
        throw error;
      });
      if (!Array.isArray(answers)) {
        // A node that takes no batch answers it with one error, or with a status alone.
        aloneUntil = Date.now() + rest;
        for (const one of some) void sendTogether([one]);
        return;
      }
      const byId = new Map((answers as Answer[]).map((answer) => [answer?.id, answer]));
      for (const { question, settle, fail } of some) {
        const answer = byId.get(question.id);
        if (answer) settle(answer);
        else
          fail(
            new HttpRequestError({ body: question, details: "The node left a question out.", url: target }),
          );
      }
    } catch (error) {
      for (const { fail } of some) fail(error);
    }
  }

  async function post(body: Question | Question[]): Promise<unknown> {
    let status = 0;
    let text = "";
    let given: Record<string, string | string[] | undefined> = {};
    try {
      const answer = await request(target, {
        method: "POST",
        headers,
        body: stringify(body),
        dispatcher: agent,
      });
      status = answer.statusCode;
      given = answer.headers;
      text = await answer.body.text();
    } catch (error) {
      const { code } = error as { code?: string };
      if (code && timeouts.has(code)) throw new TimeoutError({ body, url: target });
      throw new HttpRequestError({ body, cause: error as Error, url: target });
    }
    const answer = parse(text);
    const isOk = status >= 200 && status < 300;
    // An error of JSON-RPC says more than the status that comes with it.
    const says = isOk
      ? answer !== undefined
      : typeof (answer as Answer | undefined)?.error?.code === "number";
    if (says) return answer;
    const retryAfter = given["retry-after"];
    throw new HttpRequestError({
      body,
      details: text.slice(0, 200),
      headers: new Headers(typeof retryAfter === "string" ? { "retry-after": retryAfter } : {}),
      status,
      url: target,
    });
  }

  return ({ retryCount }) =>
    createTransport(
      {
        key: "http",
        name: "HTTP JSON-RPC",
        type: "http",
        retryCount,
        timeout: patience,
        async request({ method, params }) {
          const { error, result } = await ask(method, params);
          if (error) throw new RpcRequestError({ body: { method, params }, error, url: target });
          return result as never;
        },
      },
      { url: target },
    );
}

/** Whether a node did not want a request, and not only so many of them. */
function isRefused(error: unknown): boolean {
  const { status = 0 } = error instanceof HttpRequestError ? error : {};
  return status >= 400 && status < 500 && status !== 429;
}

const timeouts = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
