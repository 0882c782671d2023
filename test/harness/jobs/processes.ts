import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileCache } from "../../../tools/stack/compile-cache.ts";
import { ourProgram } from "../programs.ts";

export type WorkerProcess = {
  /** Its output on both streams. */
  output(): string;
  /** The exit code or signal; null while it runs. */
  ended(): string | number | null;
  freeze(): void;
  thaw(): void;
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
};

/** Starts the real worker as a process of its own. */
export function spawnWorker(env: Record<string, string | undefined>): WorkerProcess {
  const usual = {
    NODE_COMPILE_CACHE: compileCache,
    // The log key of the developer's environment is not used.
    LOG_KEY_FILE: join(tmpdir(), "earnest-no-log.key"),
  };
  const child: ChildProcess = spawn(process.execPath, ourProgram("jobs/worker.ts"), {
    env: { ...usual, ...env },
  });
  let output = "";
  child.stdout?.on("data", (text) => {
    output += text;
  });
  child.stderr?.on("data", (text) => {
    output += text;
  });
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    output: () => output,
    ended: () => child.signalCode ?? child.exitCode,
    freeze: () => child.kill("SIGSTOP"),
    thaw: () => child.kill("SIGCONT"),
    end: async (signal) => {
      child.kill(signal);
      await exited;
    },
  };
}

/** The fault of a node's proxy for a request. */
export type Treatment =
  | "forward"
  /** Holds the request and never answers. */
  | "hold"
  /** Passes the request on, and cuts the connection in the place of the answer. */
  | "lose"
  /** Answers the request itself. */
  | { result: unknown }
  | { error: { code: number; message: string } };

type RpcRequest = { id: number; method: string; params: unknown[] };

/** A proxy of the node, which passes on requests without a fault. */
export async function forwardRequests(
  rpcUrl: string,
  options: { hold?: string; treat?: (rpcRequest: RpcRequest) => Treatment | Promise<Treatment> } = {},
) {
  const { hold, treat = ({ method }) => (method === hold ? "hold" : "forward") } = options;
  const held: string[] = [];
  let refusing = false;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const headers = { "content-type": "application/json" };
    if (refusing) return response.writeHead(503).end();
    const read = JSON.parse(body) as Partial<RpcRequest> | Partial<RpcRequest>[];
    const askOf = (one: Partial<RpcRequest>) => ({ params: [], ...one }) as RpcRequest;
    if (Array.isArray(read)) {
      // Each request of a batch has its own fault. A lost request has no answer in the batch.
      const all = await Promise.all(
        read.map(askOf).map(async (rpcRequest) => ({ rpcRequest, treatment: await treat(rpcRequest) })),
      );
      if (all.some(({ treatment }) => treatment === "hold")) return held.push(body);
      const answer = await fetch(rpcUrl, { method: "POST", headers, body });
      const answers = (await answer.json()) as { id: unknown }[];
      const left = all.flatMap(({ rpcRequest: { id }, treatment }) => {
        if (typeof treatment === "object") return [{ jsonrpc: "2.0", id, ...treatment }];
        return treatment === "lose" ? [] : answers.filter((one) => one.id === id);
      });
      if (left.length === 0) return response.destroy();
      return response.writeHead(answer.status, headers).end(JSON.stringify(left));
    }
    const rpcRequest = askOf(read);
    const treatment = await treat(rpcRequest);
    if (treatment === "hold") return held.push(body);
    if (typeof treatment === "object")
      return response
        .writeHead(200, headers)
        .end(JSON.stringify({ jsonrpc: "2.0", id: rpcRequest.id, ...treatment }));
    const answer = await fetch(rpcUrl, { method: "POST", headers, body });
    const text = await answer.text();
    if (treatment === "lose") return response.destroy();
    return response.writeHead(answer.status, headers).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    refuse: (now: boolean) => {
      refusing = now;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
