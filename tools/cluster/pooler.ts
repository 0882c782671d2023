import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Child, isListening, startChild, waitUntilReady } from "../stack/process.ts";
import { findDaemon } from "./proxy.ts";

export type Pooler = {
  file: string;
  /** as in 1.24.1 */
  version: string;
  /** whether named statements outlive a transaction: from version 1.21 on */
  keepsStatements: boolean;
};

/** Finds PgBouncer; null if it is not installed. */
export function findPooler(): Pooler | null {
  const file = findDaemon("pgbouncer");
  if (!file) return null;
  const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8" });
  const [, version = "", major, minor] = /PgBouncer ((\d+)\.(\d+)[.\d]*)/.exec(stdout) ?? [];
  return { file, version, keepsStatements: Number(major) > 1 || Number(minor) >= 21 };
}

export function describeMode({ keepsStatements }: Pooler): string {
  return `in transaction mode, ${keepsStatements ? "with" : "without"} named statements`;
}

/**
 * Starts PgBouncer in transaction mode in front of a port of PostgreSQL.
 *
 * @param options.owned a folder whose owner runs PgBouncer, which refuses to run as root
 */
export async function startPooler(
  { file, keepsStatements }: Pooler,
  options: { folder: string; owned: string; port: number; upstream: number; started: (child: Child) => void },
): Promise<Child> {
  const { folder, owned, port, upstream, started } = options;
  const { uid, gid } = statSync(owned);
  const own = join(folder, "pooler");
  mkdirSync(own, { recursive: true });
  const users = join(own, "users.txt");
  const settings = join(own, "pgbouncer.ini");
  writeFileSync(users, '"earnest" "earnest"\n', { mode: 0o600 });
  writeFileSync(
    settings,
    `[databases]
earnest = host=127.0.0.1 port=${upstream} dbname=earnest connect_query='set statement_timeout = 15000'
earnest_jobs = host=127.0.0.1 port=${upstream} dbname=earnest connect_query='set statement_timeout = 120000'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
stats_users = earnest
pool_mode = transaction
default_pool_size = 20
max_client_conn = 1000
ignore_startup_parameters = statement_timeout
server_login_retry = 1
${keepsStatements ? "max_prepared_statements = 200\n" : ""}`,
    { mode: 0o600 },
  );
  for (const path of [own, users, settings]) chownSync(path, uid, gid);
  const child = await startChild({
    ...{ name: "PgBouncer", file, args: [settings], uid, gid, cwd: own },
    env: {},
    logFile: join(folder, "pooler.log"),
    // At any other signal PgBouncer waits for its clients.
    stopSignal: "SIGTERM",
  });
  started(child);
  await waitUntilReady(child, async () => ((await isListening(port)) ? true : null));
  return child;
}
