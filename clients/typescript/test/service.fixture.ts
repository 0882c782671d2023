import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createTestApi, type TestApi } from "../../../test/harness/api.ts";
import { Earnest, type TransportOptions } from "../src/index.ts";

/**
 * A fault of a request. Its response is lost, truncated or late after the service handled it. Or the service does not get
 * the request, and the proxy answers.
 */
export type Fault =
  | "lost"
  | "cut"
  | { status: number; headers?: Record<string, string>; body?: string }
  | { delayMs: number };

export type Seen = { method: string; path: string; headers: IncomingMessage["headers"]; body: string };

export type TestService = Awaited<ReturnType<typeof startService>>;

/** The real service behind a server whose network has faults: `faults` befall the next requests, in this order. */
export async function startService(env: Record<string, string> = {}) {
  let api: TestApi | undefined;
  const faults: (Fault | null)[] = [];
  const seen: Seen[] = [];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = faults.shift() ?? null;
    const { method = "GET", url = "/", headers } = request;
    const body = await buffer(request);
    seen.push({ method, path: url, headers, body: body.toString() });
    if (fault !== null && typeof fault === "object" && "status" in fault) {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? "");
      return;
    }
    if (fault !== null && typeof fault === "object") {
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    }
    const answer = await api?.app.request(url, {
      method,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      ...(body.length > 0 ? { body } : {}),
    });
    const bytes = Buffer.from((await answer?.arrayBuffer()) ?? new ArrayBuffer(0));
    if (fault === "lost") {
      response.destroy();
      return;
    }
    response.writeHead(answer?.status ?? 500, {
      ...Object.fromEntries(answer?.headers ?? []),
      "content-length": bytes.length,
    });
    if (fault !== "cut") {
      response.end(bytes);
      return;
    }
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  api = await createTestApi({ env: { PUBLIC_URL: baseUrl, ...env } });
  const started = api;

  return {
    api: started,
    baseUrl,
    faults,
    seen,
    client: (options: Partial<TransportOptions> = {}) => new Earnest({ baseUrl, ...options }),
    /** A client that signed in with a wallet of its own. */
    async signedIn(
      options: Partial<TransportOptions> = {},
    ): Promise<{ client: Earnest; wallet: LocalAccount }> {
      const wallet = privateKeyToAccount(generatePrivateKey());
      const client = new Earnest({ baseUrl, ...options });
      await client.signIn({ wallet, chainId: 31_337 });
      return { client, wallet };
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await started.close();
    },
  };
}

let published = 0;

/** Publishes an agent with one service, through the client itself. Returns the service. */
export async function publishService(provider: { client: Earnest; wallet: LocalAccount }) {
  const { client, wallet } = provider;
  const slug = `agent-${process.pid}-${++published}`;
  await client.agents.create({ slug, name: "A test agent" });
  await client.agents.setPayoutWallet(slug, { address: wallet.address });
  await client.agents.publish(slug);
  await client.services.create(slug, {
    slug: "a-service",
    title: "A test service",
    pricing_model: "fixed",
    price: "2.50",
    delivery_time_hours: 24,
  });
  return await client.services.publish(slug, "a-service");
}
