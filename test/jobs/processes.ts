import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

const worker = fileURLToPath(new URL("../../jobs/worker.ts", import.meta.url));

export type WorkerProcess = {
  /** what it wrote, both outputs */
  output(): string;
  /** the exit code or signal; null while it runs */
  ended(): string | number | null;
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
};

/** Starts the real worker as a process of its own. */
export function spawnWorker(env: Record<string, string | undefined>): WorkerProcess {
  const child: ChildProcess = spawn(process.execPath, [worker], { env });
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
    end: async (signal) => {
      child.kill(signal);
      await exited;
    },
  };
}

/** A node in front of the node: passes everything on, but keeps back what `holds` names and never answers it. */
export async function holdRequests(rpcUrl: string, method: string) {
  const held: string[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    if (body.includes(`"${method}"`)) {
      held.push(body);
      return;
    }
    const answer = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
