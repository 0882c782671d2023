import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createApp } from "../../api/app.ts";
import { type Context, createContext } from "../../api/context.ts";
import type { Scope } from "../../api/http/caller.ts";
import { writeMetrics } from "../../api/metrics/index.ts";
import { type Config, readConfig } from "../../config/config.ts";
import { createKeyFile, readReceiptSigner } from "../../config/keys/signing-key.ts";
import { createWebhookKeyFile } from "../../config/keys/webhook-key.ts";
import { inTransaction } from "../../db/transaction.ts";
import { publishKeys } from "../../jobs/receipts/key-publication.ts";
import { publishReceiptStatus } from "../../jobs/receipts/status-list.ts";
import type { TestChain } from "./chain.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { baseChainSettings, getFixture } from "./fixtures/fixture.ts";

/** An answer of the API. `body` is the JSON, the text of another type, or a file with one character for each byte. */
export type Answer = {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on bodies whose shape is what they test
  body: any;
  headers: Headers;
};

export type RequestOptions = {
  /** The token of a session or key, sent as `Authorization: Bearer`. */
  token?: string;
  /** The token of a key, sent as `X-API-Key`. */
  apiKey?: string;
  /** The body, sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
};

/** Paths at the root of the host. Every other path of a test is below /api/v1. */
const atRoot = /^\/(docs|exports|log|receipt-page\.js|streams)\b/;

export const addressOf = (path: string) => (atRoot.test(path) ? path : `/api/v1${path}`);

/** Sends requests to the API, with paths as the API description has them. */
export type Requester = {
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
};

export type TestApi = Awaited<ReturnType<typeof createTestApi>>;

/**
 * The API on a database of its own, called without a network.
 *
 * @param options.chain a fork to serve instead of the base chain
 * @param options.database another than one of its own; it is closed with the API
 * @param options.env further settings
 */
export async function createTestApi(
  options: { env?: Record<string, string>; chain?: TestChain; database?: TestDatabase } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "earnest-api-"));
  const database = options.database ?? (await createTestDatabase());
  await getFixture("webFiles");
  const config: Config = readConfig({
    DATABASE_URL: database.url,
    PUBLIC_URL: "http://localhost:42069",
    SIGNING_KEY_FILE: join(folder, "signing.json"),
    WEBHOOK_KEY_FILE: join(folder, "webhooks.key"),
    LOG_KEY_FILE: join(folder, "log.key"),
    LOG_MEMORY_FILE: join(folder, "log.checkpoint"),
    FILES_DIR: join(folder, "files"),
    LOG_LEVEL: "fatal",
    RATE_LIMITS: "off",
    // Tests change rows by themselves and request them at once.
    ANSWER_CACHE_MB: "0",
    ...(options.chain?.env ?? (await baseChainSettings())),
    ...options.env,
  });
  // The worker stores the public keys, which the API serves from the database.
  createKeyFile(config.signingKeyFile);
  createWebhookKeyFile(config.webhookKeyFile);
  const signer = readReceiptSigner(config);
  await publishKeys(database.db, signer);
  await inTransaction(database.db, (tx) => publishReceiptStatus(tx, signer));
  const context: Context = createContext(config);
  const app = createApp(context);

  return {
    app,
    context,
    config,
    db: database.db,
    request: (method: string, path: string, request: RequestOptions = {}): Promise<Answer> =>
      ask((url, init) => Promise.resolve(app.request(url, init)), addressOf(path), method, request),
    /** The metrics, as the metrics port serves them. */
    metrics: () => writeMetrics(context),
    async close(): Promise<void> {
      await context.printer.close();
      await context.db.$client.end();
      await context.readDb?.$client.end();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sends the same requests over the network, to a base URL such as `http://127.0.0.1:42069`. */
export function requesterOf(baseUrl: string): Requester {
  return {
    request: (method, path, request = {}) => ask(fetch, `${baseUrl}${addressOf(path)}`, method, request),
  };
}

async function ask(
  send: (url: string, init: RequestInit) => Promise<Response>,
  url: string,
  method: string,
  { token, apiKey, body, headers }: RequestOptions,
): Promise<Answer> {
  const response = await send(url, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(apiKey ? { "x-api-key": apiKey } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const isEndless = response.headers.get("content-type")?.startsWith("text/event-stream");
  const isFile = /^application\/(pdf|zip)/.test(response.headers.get("content-type") ?? "");
  const text = isEndless
    ? await readBeginning(response)
    : isFile
      ? Buffer.from(await response.arrayBuffer()).toString("latin1")
      : await response.text();
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    body: isJson && text !== "" ? JSON.parse(text) : text,
    headers: response.headers,
  };
}

/** The first bytes of a stream without an end. */
async function readBeginning({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

export type Session = { account: LocalAccount; accountId: string; token: string };

/**
 * Signs a wallet in as its owner would: nonce, signature of the message, session. Creates a wallet unless
 * one is given.
 */
export async function signIn(
  api: Requester,
  account: LocalAccount = privateKeyToAccount(generatePrivateKey()),
  chainId = 31_337,
): Promise<Session> {
  const { message, nonce } = expectStatus(
    200,
    await api.request("POST", "/auth/nonce", { body: { address: account.address, chain_id: chainId } }),
  );
  const signature = await account.signMessage({ message });
  const { tokens } = expectStatus(
    200,
    await api.request("POST", "/auth/signin", { body: { message, nonce, signature } }),
  );
  const me = expectStatus(200, await api.request("GET", "/me", { token: tokens.access_token }));
  return { account, accountId: me.id, token: tokens.access_token };
}

/** Creates an API key with these scopes. Returns its token. */
export async function createKey(api: Requester, session: Session, scopes: Scope[]): Promise<string> {
  const key = expectStatus(
    201,
    await api.request("POST", "/api-keys", { token: session.token, body: { name: "test", scopes } }),
  );
  return key.token;
}

let published = 0;

/**
 * Publishes an agent with one published service. Fields of the service may be given; the rest is filled in.
 *
 * @returns the bodies of `GET /agents/{slug}` and of the service
 */
export async function publishService(
  api: Requester,
  provider: Session,
  fields: Record<string, unknown> = {},
): Promise<{ agent: Answer["body"]; service: Answer["body"] }> {
  const { token } = provider;
  const slug = `agent-${process.pid}-${++published}`;
  expectStatus(201, await api.request("POST", "/agents", { token, body: { slug, name: "A test agent" } }));
  const wallet = { address: provider.account.address };
  expectStatus(200, await api.request("PUT", `/agents/${slug}/payout-wallet`, { token, body: wallet }));
  const agent = expectStatus(200, await api.request("POST", `/agents/${slug}/publish`, { token }));
  const body = {
    slug: "a-service",
    title: "A test service",
    pricing_model: "fixed",
    price: "2.5",
    delivery_time_hours: 24,
    ...fields,
  };
  const created = expectStatus(
    201,
    await askUntilChecked(() => api.request("POST", `/agents/${slug}/services`, { token, body })),
  );
  const service = expectStatus(
    200,
    await api.request("POST", `/agents/${slug}/services/${created.slug}/publish`, { token }),
  );
  return { agent, service };
}

/** Retries while the API is too busy to check schemas: on a loaded machine its threads run last. */
async function askUntilChecked(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.body?.error?.code !== "checker_busy") return answer;
    await sleep(1000 * Number(answer.headers.get("retry-after")));
  }
}

/** Returns the body of an answer that must have this status. */
export function expectStatus(status: number, answer: Answer): Answer["body"] {
  if (answer.status === status) return answer.body;
  throw new Error(`Expected status ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}
