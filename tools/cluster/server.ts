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
  /** whether it takes no writes, as it follows another */
  isStandby: boolean;
  /** whether a standby confirms each of its commits */
  isConfirmed: boolean;
  /** of a primary: bytes of log that it has written, and that its standby has on its disk; null without one */
  written: number | null;
  confirmed: number | null;
} | null;

/** A PostgreSQL server of the cluster: a folder, a port, and what runs there. */
export type Server = {
  name: string;
  directory: string;
  port: number;
  logFile: string;
  settings: Record<string, string>;
};

/** Milliseconds for which a server's answer is waited for. */
const patience = 1000;

/** The settings of all servers. A standby is copied from the running primary and streams its log. */
const always = {
  max_connections: "200",
  wal_keep_size: "2GB",
  // A walreceiver that lost its primary is to ask the next one soon.
  wal_retrieve_retry_interval: "200ms",
};

/** Makes an empty cluster and starts it as a primary that waits for nobody. */
export async function beginPrimary(server: Server): Promise<void> {
  initialisePostgres(server.directory);
  await start(server);
}

/** Starts a server with what is in its folder. */
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

/** Starts a server that was a standby of this primary before. */
export async function follow(server: Server, primary: Server): Promise<void> {
  const { hostname, port, username, password } = new URL(urlOf(primary, ""));
  await start(server, {
    primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password} application_name=${server.name}`,
  });
}

/** Has a primary answer commits only once a standby has them on its disk, or wait for nobody. */
export async function confirmCommits(server: Server, isWanted: boolean): Promise<void> {
  const url = urlOf(server, "postgres");
  await runStatement(url, `alter system set synchronous_standby_names = ${isWanted ? "'*'" : "''"}`);
  await runStatement(url, "select pg_reload_conf()");
}

/** Makes a standby the primary. Returns once it takes writes. */
export async function promote(server: Server): Promise<void> {
  // Its own standby is yet to come: until then no commit may wait for one.
  await confirmCommits(server, false);
  await runStatement(urlOf(server, "postgres"), "select pg_promote(true, 60)");
}

/** Kills the first process of a server; the others look for it, and end by themselves. */
export function kill(server: Server): void {
  signal(server, "SIGKILL");
}

/** Has all processes of a server stand still, or go on. */
export function freeze(server: Server, isFrozen: boolean): void {
  for (const pid of processesOf(server)) process.kill(pid, isFrozen ? "SIGSTOP" : "SIGCONT");
}

/** Has a server end its connections and write everything down. A primary waits until its standby has all. */
export async function stop(server: Server, patience = 10_000): Promise<void> {
  signal(server, "SIGINT");
  const deadline = performance.now() + patience;
  while (firstProcessOf(server) !== null && performance.now() < deadline) await sleep(20);
  await fence(server);
}

/**
 * Makes sure that nothing of a server is at work any more. The first process alone is not enough: when it is killed, its
 * children go on until they look for it.
 */
export async function fence(server: Server): Promise<void> {
  kill(server);
  for (let left = processesOf(server); left.length > 0; left = processesOf(server)) {
    for (const pid of left) send(pid, "SIGKILL");
    await sleep(10);
  }
}

/** Whether what lies in a server's folder is to follow another server. */
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
    // It has just ended.
  }
}

/** Returns the main process of a server, whichever program started it; null if none runs. */
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
 * The processes of a server that are at work: each stands in the server's folder. None where the system does not show that,
 * as all but Linux.
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

/** The files that a copy must not have: the log comes from the primary, and the others belong to a running server. */
const left = ["pg_wal", "pg_replslot", "postmaster.pid", "postmaster.opts", "pg_dynshmem", "pg_stat_tmp"];

async function copy(from: string, to: string): Promise<void> {
  const names = readdirSync(from).filter((name) => !left.includes(name));
  const copying = spawn("cp", ["-a", ...names.map((name) => join(from, name)), to], {
    env: { LC_ALL: "C" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said = await text(copying.stderr);
  // A file that went away meanwhile is in the log as dropped.
  const wrong = said.split("\n").filter((line) => line && !line.endsWith("No such file or directory"));
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  for (const name of ["pg_wal", "pg_replslot", "pg_dynshmem", "pg_stat_tmp"]) {
    mkdirSync(join(to, name), { mode: 0o700 });
    own(join(to, name));
  }
  // Only a server that was a standby before has one.
  rmSync(join(to, "standby.signal"), { force: true });
}

function put(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  own(path);
}

/** Gives a file the owner of its parent folder, which is not ours if we are root. */
function own(path: string): void {
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}
