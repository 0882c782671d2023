import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { type Address, erc20Abi, type Hex, type LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { joinStack, type SharedStack, startStack } from "../../../test/harness/stack.ts";
import { Earnest, type Service, type ServiceRequest } from "../src/index.ts";

export type Market = ReturnType<typeof openMarket>;
/** A market whose processes a test may stop. */
export type OwnMarket = Awaited<ReturnType<typeof startMarket>>;
export type Member = { client: Earnest; wallet: LocalAccount; key: Hex; token: string };

/** Changes a JSON response, also one that asks for a payment: the client gets the returned value and `shown`. */
type Lie = (path: string, body: never, shown: { status: number }) => unknown;

/** The number of agents that the files of this process published. */
let published = 0;

/** The whole service behind a proxy that can change and lose responses. */
export async function startMarket(options?: Parameters<typeof startStack>[0]) {
  const stack = await startStack(options);
  return { ...openMarket(stack, await startProxy(stack.baseUrl)), stack };
}

/** The same on the stack that files share (`joinStack`): a file stops no process, and does not move the chain's clock. */
export async function joinMarket(): Promise<Market> {
  const stack = await joinStack();
  return openMarket(stack, await startProxy(stack.baseUrl));
}

function openMarket(stack: SharedStack, proxy: Awaited<ReturnType<typeof startProxy>>) {
  const host = new URL(stack.baseUrl).host;
  const issuer = `did:web:localhost%3A${new URL(stack.baseUrl).port}`;

  /** An account with a wallet that has money, and a key for orders and the feed. */
  async function join(): Promise<Member> {
    const key = generatePrivateKey();
    const wallet = privateKeyToAccount(key);
    await stack.chain.fund(wallet);
    const client = new Earnest({ baseUrl: proxy.baseUrl });
    await client.signIn({ wallet, chainId: 31_337, host });
    const scopes = ["orders:read", "orders:write", "webhooks:read"] as const;
    const { token } = await client.apiKeys.create({ name: "test", scopes: [...scopes] });
    return { client, wallet, key, token };
  }

  /** An agent's published service. */
  async function publish(provider: Member, fields: Partial<ServiceRequest> = {}): Promise<Service> {
    const { client, wallet } = provider;
    const slug = `agent-${process.pid}-${++published}`;
    await client.agents.create({ slug, name: "A test agent" });
    await client.agents.setPayoutWallet(slug, { address: wallet.address });
    await client.agents.publish(slug);
    await client.services.create(slug, {
      slug: "double",
      title: "Twice a number",
      pricing_model: "fixed",
      price: "2.50",
      delivery_time_hours: 24,
      input_schema: schemaOf("number"),
      output_schema: schemaOf("twice"),
      ...fields,
    });
    return await client.services.publish(slug, "double");
  }

  /** Delivers like a provider without `serve`. */
  async function deliver({ client, wallet }: Member, orderId: string, twice: number): Promise<void> {
    const { status } = await client.orders.get(orderId);
    if (status === "funded") await client.orders.start(orderId);
    await client.orders.deliver(orderId, { output_payload: { twice } });
    const { typed_data } = await client.orders.getDeliveryRecordToSign(orderId);
    const signature = await wallet.signTypedData(typed_data as Parameters<LocalAccount["signTypedData"]>[0]);
    await client.orders.recordDelivery(orderId, { signature });
  }

  const balanceOf = (account: Address) =>
    stack.chain.publicClient.readContract({
      address: stack.chain.chain.token.address,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [account],
    });

  return {
    stack,
    proxy,
    issuer,
    join,
    publish,
    deliver,
    balanceOf,
    async close(): Promise<void> {
      await proxy.close();
      await stack.close();
    },
  };
}

function schemaOf(name: string) {
  return {
    type: "object",
    properties: { [name]: { type: "integer" } },
    required: [name],
    additionalProperties: false,
  };
}

async function startProxy(target: string) {
  let lie: Lie | null = null;
  let hook: ((call: string) => Promise<void> | undefined) | null = null;
  let isDown = false;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const body = await buffer(request);
    const { host: _, connection: __, "content-length": ___, ...forwardedHeaders } = headers;
    const call = `${method} ${url}${headers["payment-signature"] ? " paid" : ""}`;
    await hook?.(`before ${call}`);
    const answer = await fetch(target + url, {
      method,
      headers: forwardedHeaders as Record<string, string>,
      ...(body.length > 0 ? { body } : {}),
    });
    const text = await answer.text();
    await hook?.(`after ${call}`);
    const type = answer.headers.get("content-type") ?? "";
    const shown = { status: answer.status };
    const isChanged = answer.ok || answer.status === 402;
    const answerText =
      lie && isChanged && /json/.test(type)
        ? JSON.stringify(await lie(url, JSON.parse(text) as never, shown))
        : text;
    const {
      "content-encoding": ____,
      "content-length": _____,
      ...headersOut
    } = Object.fromEntries(answer.headers);
    response.writeHead(shown.status, headersOut).end(answerText);
  }

  const server = createServer((request, response) => {
    if (isDown) return void request.socket.destroy();
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Cuts all connections while the service is down. */
    setDown(next: boolean) {
      isDown = next;
    },
    /** Changes all later responses. */
    changeResponses(next: Lie | null) {
      lie = next;
    },
    /**
     * Holds the next fitting request forever, as in `before POST /api/v1/orders`, and then resolves. Other requests pass. A
     * request with a payment in its header ends with `paid`.
     */
    holdNext(shape: RegExp): Promise<void> {
      return new Promise((seen) => {
        hook = (call) => {
          if (!shape.test(call)) return;
          hook = null;
          seen();
          return new Promise(() => {});
        };
      });
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Runs a program of these tests in its own process. The last line of its output is its result. */
export function runProgram(name: string, env: Record<string, string>) {
  const file = resolve(import.meta.dirname, `${name}.fixture.ts`);
  const child: ChildProcess = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  let errors = "";
  child.stdout?.on("data", (text) => {
    printed += text;
  });
  child.stderr?.on("data", (text) => {
    errors += text;
  });
  const closed = new Promise<void>((done) => child.once("close", () => done()));
  return {
    async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
      child.kill(signal);
      await closed;
    },
    /** Returns the output after a successful end. */
    async end(): Promise<string> {
      await closed;
      if (child.exitCode !== 0) throw new Error(`It ended with ${child.exitCode}: ${errors}`);
      return printed;
    },
    printed: () => printed,
  };
}
