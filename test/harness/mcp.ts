import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { App } from "../../api/variables.ts";

export type McpService = Awaited<ReturnType<typeof serveMcp>>;

/** Serves an app as Node does, and connects official MCP clients to it. */
export async function serveMcp(app: App, port = 0) {
  const server = createServer(getRequestListener(app.fetch));
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  const url = new URL(`http://localhost:${(server.address() as AddressInfo).port}/mcp`);
  const clients: { close(): Promise<void> }[] = [];
  const headersOf = (token?: string) => (token ? { authorization: `Bearer ${token}` } : {});

  return {
    url,
    /** A client of the revision 2026-07-28. */
    async connect(token?: string): Promise<Client> {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
      const requestInit = { headers: headersOf(token) };
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      clients.push(client);
      return client;
    },
    /** A client of the earlier revisions. */
    async connectOld(token: string): Promise<OldClient> {
      const client = new OldClient({ name: "old", version: "1" });
      const requestInit = { headers: headersOf(token) };
      await client.connect(new OldTransport(url, { requestInit }) as never);
      clients.push(client);
      return client;
    },
    /** Posts a message that no client would send. */
    async post(message: unknown, headers: Record<string, string> = {}) {
      const accept = "application/json, text/event-stream";
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", accept, ...headers },
        body: typeof message === "string" ? message : JSON.stringify(message),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    async close(): Promise<void> {
      for (const client of clients) await client.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The result of a tool, or its failure with its `code`; and its text. */
export async function use(client: Client | OldClient, name: string, args: Record<string, unknown> = {}) {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  const [block] = result.content;
  const text = block?.type === "text" ? block.text : "";
  const error = result._meta?.["earnest/error"] as { code: string; message: string } | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on results whose shape is what they test
  return { facts: result.structuredContent as Record<string, any>, code: error?.code, error, text };
}

/** Returns the message that calls a tool. */
export const callOf = (name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args },
});
