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

/** A node in front of the node, which passes on what it is not told to keep back or refuse. */
export async function forwardRequests(rpcUrl: string, options: { hold?: string } = {}) {
  const held: string[] = [];
  let refusing = false;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    if (refusing) {
      response.writeHead(503).end();
    } else if (options.hold && body.includes(`"${options.hold}"`)) {
      // Never answered: whoever asked waits.
      held.push(body);
    } else {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(rpcUrl, { method: "POST", headers, body });
      response.writeHead(answer.status, headers).end(await answer.text());
    }
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
