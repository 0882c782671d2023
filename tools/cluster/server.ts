import { spawn } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { initialisePostgres, runStatement, startPostgres } from "../stack/postgres.ts";
import { startedAt } from "../stack/process.ts";

/** The result of a server check; null if it did not answer in time. */
export type ServerCheck = {
  /** whether the server is a standby, which takes no writes */
  isStandby: boolean;
  /** whether a standby confirms each commit of the server */
  isConfirmed: boolean;
  /** bytes of log that a primary has written, and that its standby has on its disk; null if there is none */
  written: number | null;
  confirmed: number | null;
} | null;

/** A PostgreSQL server of the cluster, with its folder and its port. */
export type Server = {
  name: string;
  directory: string;
  port: number;
  logFile: string;
  settings: Record<string, string>;
};

/** Milliseconds to wait for a server's answer. */
const patience = 1000;

/** The settings of all servers. A standby is copied from the running primary and streams its log. */
const always = {
  max_connections: "200",
  wal_keep_size: "2GB",
  // A walreceiver that lost its primary soon connects to the next one.
  wal_retrieve_retry_interval: "200ms",
};

/** Makes an empty cluster and starts it as a primary without a synchronous standby. */
export async function beginPrimary(server: Server): Promise<void> {
  initialisePostgres(server.directory);
  await start(server);
}

/** Starts a server on the data in its folder. */
export async function start(server: Server, settings: Record<string, string> = {}): Promise<void> {
  const { directory, port, logFile } = server;
  await startPostgres({ directory, port, logFile, settings: { ...always, ...server.settings, ...settings } });
}

/** Copies a primary while it works, as pg_basebackup would, and starts the copy as its streaming standby. */
export async function beginStandby(server: Server, primary: Server): Promise<void> {
  rmSync(server.directory, { recursive: true, force: true });
  mkdirSync(server.directory, { mode: 0o700 });
  const as = statSync(primary.directory);
  chownSync(server.directory, as.uid, as.gid);
  const session = new pg.Client({ connectionString: urlOf(primary, "postgres") });
  session.on("error", () => {});
  await session.connect();
  try {
    await session.query("select pg_backup_start('standby', fast => true)");
    await copy(primary.directory, server.directory);
    const { rows } = await session.query("select labelfile from pg_backup_stop(wait_for_archive => false)");
    put(join(server.directory, "backup_label"), rows[0].labelfile);
  } finally {
    await session.end();
  }
  put(join(server.directory, "standby.signal"), "");
  await follow(server, primary);
}

/** Starts a server whose folder already holds a standby of this primary. */
export async function follow(server: Server, primary: Server): Promise<void> {
  const { hostname, port, username, password } = new URL(urlOf(primary, ""));
  await start(server, {
    primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password} application_name=${server.name}`,
  });
}

/** Turns synchronous commits on or off: a primary then acknowledges a commit once a standby has it on its disk. */
export async function confirmCommits(server: Server, isSynchronous: boolean): Promise<void> {
  const url = urlOf(server, "postgres");
  await runStatement(url, `alter system set synchronous_standby_names = ${isSynchronous ? "'*'" : "''"}`);
  await runStatement(url, "select pg_reload_conf()");
}

/** Makes a standby the primary. Returns once it takes writes. */
export async function promote(server: Server): Promise<void> {
  // The promoted server has no standby yet, so no commit may wait for one.
  await confirmCommits(server, false);
  await runStatement(urlOf(server, "postgres"), "select pg_promote(true, 60)");
}

/** Kills the main process of a server. The others notice its end and exit. */
export function kill(server: Server): void {
  signal(server, "SIGKILL");
}

/** Suspends all processes of a server, or resumes them. */
export function freeze(server: Server, isFrozen: boolean): void {
  for (const pid of processesOf(server)) process.kill(pid, isFrozen ? "SIGSTOP" : "SIGCONT");
}

/** Shuts a server down in order. A primary waits until its standby has everything. */
export async function stop(server: Server, patience = 10_000): Promise<void> {
  signal(server, "SIGINT");
  const deadline = performance.now() + patience;
  while (firstProcessOf(server) !== null && performance.now() < deadline) await sleep(20);
  await fence(server);
}

/**
 * Ends every process of a server. Killing the main process is not enough: its children run until they notice its end.
 */
export async function fence(server: Server): Promise<void> {
  kill(server);
  for (let left = processesOf(server); left.length > 0; left = processesOf(server)) {
    for (const pid of left) send(pid, "SIGKILL");
    await sleep(10);
  }
}

/** Tells whether a server's folder holds a standby. */
export function isStandby({ directory }: Server): boolean {
  return existsSync(join(directory, "standby.signal"));
}

function signal(server: Server, name: "SIGKILL" | "SIGINT"): void {
  const pid = firstProcessOf(server);
  if (pid !== null) send(pid, name);
}

function send(pid: number, name: "SIGKILL" | "SIGINT"): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has just ended.
  }
}

/** Returns the main process of a server, whatever program started it; null if none runs. */
function firstProcessOf({ directory }: Server): number | null {
  try {
    const pid = Number.parseInt(readFileSync(join(directory, "postmaster.pid"), "utf8"), 10);
    return startedAt(pid) === null ? null : pid;
  } catch {
    return null;
  }
}

/** Checks a server on a separate connection. */
export async function checkServer(server: Server): Promise<ServerCheck> {
  const client = new pg.Client({
    connectionString: urlOf(server, "postgres"),
    connectionTimeoutMillis: patience,
    query_timeout: patience,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{
      is_standby: boolean;
      is_confirmed: boolean;
      written: string | null;
      confirmed: string | null;
    }>(`
      select pg_is_in_recovery() as is_standby,
        coalesce(bool_or(sync_state = 'sync' and state = 'streaming'), false) as is_confirmed,
        case when not pg_is_in_recovery() then pg_current_wal_lsn() - '0/0'::pg_lsn end as written,
        min(flush_lsn - '0/0'::pg_lsn) filter (where state = 'streaming') as confirmed
      from pg_stat_replication`);
    const [found] = rows;
    if (!found) return null;
    return {
      isStandby: found.is_standby,
      isConfirmed: found.is_confirmed,
      written: found.written === null ? null : Number(found.written),
      confirmed: found.confirmed === null ? null : Number(found.confirmed),
    };
  } catch {
    return null;
  } finally {
    await client.end().catch(() => {});
  }
}

/** The URL of a database of this server, whether it runs or not. */
export function urlOf(server: Server, database: string): string {
  return `postgres://earnest:earnest@127.0.0.1:${server.port}/${database}`;
}

/**
 * Finds the processes of a server by their working directory, which is the server's folder. Only Linux shows it; elsewhere
 * the result is empty.
 */
export function processesOf({ directory }: Server): number[] {
  const isHere = (pid: string) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === directory;
    } catch {
      return false;
    }
  };
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && isHere(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** The files that a copy leaves out: the log comes from the primary, and the others belong to a running server. */
const left = ["pg_wal", "pg_replslot", "postmaster.pid", "postmaster.opts", "pg_dynshmem", "pg_stat_tmp"];

async function copy(from: string, to: string): Promise<void> {
  const names = readdirSync(from).filter((name) => !left.includes(name));
  const copying = spawn("cp", ["-a", ...names.map((name) => join(from, name)), to], {
    env: { LC_ALL: "C" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said = await text(copying.stderr);
  // The log records the removal of a file that vanishes during the copy.
  const wrong = said.split("\n").filter((line) => line && !line.endsWith("No such file or directory"));
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  for (const name of ["pg_wal", "pg_replslot", "pg_dynshmem", "pg_stat_tmp"]) {
    mkdirSync(join(to, name), { mode: 0o700 });
    own(join(to, name));
  }
  // Only a server that has been a standby has this file.
  rmSync(join(to, "standby.signal"), { force: true });
}

function put(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  own(path);
}

/** Gives a file the owner of its parent folder. For root, that is PostgreSQL's user. */
function own(path: string): void {
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}
