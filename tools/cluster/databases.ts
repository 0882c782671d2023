import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { placePostgres, runStatement } from "../stack/postgres.ts";
import { type Child, findFreePort, startChild, waitUntilReady } from "../stack/process.ts";
import type { AgentState, Watched } from "./agent.ts";
import type { Front } from "./proxy.ts";
import { beginPrimary, beginStandby, fence, type Server, urlOf } from "./server.ts";
import { supervise } from "./supervised.ts";

/**
 * Starts a primary with a database, its standby, and the agent that watches both. Each is a separate process.
 *
 * @param options.folder the folder of their logs, and of their files if PostgreSQL's user can reach it
 * @returns the frontends that a proxy needs: one for the primary, one for the standby
 */
export async function startDatabases(options: {
  folder: string;
  settings?: Record<string, string>;
  started: (child: Child) => void;
  say: (line: string) => void;
}) {
  const { folder, settings = {}, started, say } = options;
  const placed = async (name: string): Promise<Server> => ({
    ...{ name, settings, port: await findFreePort() },
    directory: placePostgres(join(folder, name)),
    logFile: join(folder, `${name}.log`),
  });
  const servers = [await placed("postgres-a"), await placed("postgres-b")] as const;
  const [primary, standby] = servers;
  await beginPrimary(primary);
  await runStatement(urlOf(primary, "postgres"), "create database earnest");
  await beginStandby(standby, primary);
  const watched: Watched[] = await Promise.all(
    servers.map(async (server) => ({ server, checkPort: await findFreePort() })),
  );
  const front = async (name: "primary" | "standby"): Promise<Front> => ({
    ...{ name, mode: "tcp", check: `/${name}`, port: await findFreePort() },
    servers: watched.map(({ server, checkPort }) => ({ name: server.name, port: server.port, checkPort })),
  });
  return {
    agent: await superviseAgent(watched, { folder, started, say }),
    servers,
    fronts: { primary: await front("primary"), standby: await front("standby") },
    directories: servers.map(({ directory }) => directory),
  };
}

/** Starts the agent in a separate process, and restarts it whenever it dies. */
async function superviseAgent(
  watched: readonly Watched[],
  { folder, started, say }: { folder: string; started: (child: Child) => void; say: (line: string) => void },
) {
  let state: AgentState | null = null;
  const part = await supervise("agent", async () => {
    const program = fileURLToPath(new URL("./agent-process.ts", import.meta.url));
    const child = await startChild({
      ...{ name: "the agent", file: process.execPath, args: [program, JSON.stringify(watched)] },
      ...{ env: { NODE_NO_WARNINGS: "1" }, channel: true },
      logFile: join(folder, "agent.log"),
    });
    started(child);
    child.process.on("message", (report: AgentState) => {
      state = report;
      if (report.line) say(report.line);
    });
    void child.exited.then(() => {
      if (state) state = { ...state, mayPromote: false };
    });
    await waitUntilReady(child, () => state);
    return child;
  });
  const find = (role: "primary" | "standby") =>
    watched.find(({ server }) => server.name === state?.[role])?.server as Server;
  return {
    part,
    primary: () => find("primary"),
    standby: () => find("standby"),
    /** Whether the standby would be promoted without loss if the primary died now. */
    mayPromote: () => state?.mayPromote ?? false,
    /** Stops the agent, which stops the servers. */
    async stop(): Promise<void> {
      await part.stop(30_000);
      for (const { server } of watched) await fence(server);
    },
  };
}
