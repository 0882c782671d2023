import { join } from "node:path";
import { placePostgres, runStatement } from "../stack/postgres.ts";
import { type Child, findFreePort } from "../stack/process.ts";
import { startAgent } from "./agent.ts";
import type { Front } from "./proxy.ts";
import { beginPrimary, beginStandby, type Server, urlOf } from "./server.ts";

/**
 * Starts a primary with a database, its standby, and the agent that watches both.
 *
 * @param options.folder where their logs go; their files too, where PostgreSQL's user can reach it
 * @returns the fronts that a proxy has to have: whoever is the primary, whoever is the standby
 */
export async function startDatabases(options: {
  folder: string;
  settings?: Record<string, string>;
  started: (child: Child) => void;
  say: (line: string) => void;
}) {
  const { folder, settings = {}, started, say } = options;
  const placed = async (name: string): Promise<Server> => ({
    ...{ name, settings, started, running: null, port: await findFreePort() },
    directory: placePostgres(join(folder, name)),
    logFile: join(folder, `${name}.log`),
  });
  const servers = [await placed("postgres-a"), await placed("postgres-b")] as const;
  const [primary, standby] = servers;
  await beginPrimary(primary);
  await runStatement(urlOf(primary, "postgres"), "create database earnest");
  await beginStandby(standby, primary);
  const checkPorts = new Map(
    await Promise.all(servers.map(async (server) => [server, await findFreePort()] as const)),
  );
  const agent = await startAgent({ primary, standby }, checkPorts, say);
  const front = async (name: "primary" | "standby"): Promise<Front> => ({
    ...{ name, mode: "tcp", check: `/${name}`, port: await findFreePort() },
    servers: servers.map((server) => ({
      ...{ name: server.name, port: server.port, checkPort: checkPorts.get(server) as number },
    })),
  });
  return {
    agent,
    servers,
    fronts: { primary: await front("primary"), standby: await front("standby") },
    directories: servers.map(({ directory }) => directory),
  };
}
