import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openDatabase } from "../../db/client.ts";
import { migrateDatabase } from "../../db/migrate.ts";
import {
  initialisePostgres,
  type Postgres,
  placePostgres,
  runStatement,
  startPostgres,
} from "../../tools/stack/postgres.ts";
import { findFreePort } from "../../tools/stack/process.ts";
import { chownToCluster, copyCluster, putIn } from "./cluster-copy.ts";
import { blockOf } from "./documents/blocks.ts";

/** The settings that a document shows, with this folder in the place of `/archive`. */
function settingsOf(key: string, archive: string): Record<string, string> {
  const lines = [...blockOf(key).matchAll(/^(\w+) = '?(.*?)'?$/gm)];
  return Object.fromEntries(
    lines.map(([, name, value = ""]) => [name, value.replaceAll("/archive", archive)]),
  );
}

/**
 * A PostgreSQL of a test's own that archives its write-ahead log, as docs/recovery.md tells operators to run it, with a
 * database that is migrated.
 */
export async function startArchivedPostgres() {
  const folder = mkdtempSync(join(tmpdir(), "earnest-archive-"));
  chmodSync(folder, 0o755);
  const first = placePostgres(join(folder, "postgres"));
  initialisePostgres(first);
  const home = dirname(first);
  const archive = makeFolder("archive");
  const port = await findFreePort();
  let lives = 0;
  let server = await start(first, settingsOf("docs/recovery.md: What to copy", archive));
  await runStatement(server.url("postgres"), "create database earnest");
  const url = server.url("earnest");
  await migrateDatabase(url);
  const db = openDatabase(url);
  // The next reader gets the bytes that are cut off here.
  db.$client.on("error", () => {});

  return {
    database: { url, db, close: () => db.$client.end() },
    /** Copies the cluster while it runs. Returns the folder of the copy. */
    async backUp(): Promise<string> {
      const copy = makeFolder("backup");
      await copyCluster(url, first, copy);
      return copy;
    },
    /** Names this moment as a recovery target. */
    mark: (name: string) => runStatement(url, "select pg_create_restore_point($1)", [name]),
    /** Archives all that was written so far. */
    async archiveAll(): Promise<void> {
      const [row] = (await runStatement(url, "select pg_walfile_name(pg_switch_wal()) as file")) as {
        file: string;
      }[];
      const file = row?.file ?? "";
      for (let waited = 0; spawnSync("test", ["-f", join(archive, file)]).status !== 0; waited += 50) {
        if (waited > 20_000) throw new Error(`${file} was not archived.`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    /**
     * Kills the server, and starts one at its port from a backup and the archive, up to a target or to the
     * end.
     */
    async restore(backup: string, upTo: string | null): Promise<void> {
      await kill();
      const directory = makeFolder(`restored-${++lives}`);
      spawnSync("cp", ["-a", `${backup}/.`, directory]);
      putIn(directory, "recovery.signal", "");
      server = await start(directory, {
        restore_command: `cp ${archive}/%f %p`,
        recovery_target_timeline: "1",
        ...(upTo ? { recovery_target_name: upTo, recovery_target_action: "promote" } : {}),
      });
      for (;;) {
        const [row] = (await runStatement(url, "select pg_is_in_recovery() as is")) as { is: boolean }[];
        if (row?.is === false) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async close(): Promise<void> {
      await kill();
      for (const path of [home, folder]) rmSync(path, { recursive: true, force: true });
    },
  };

  function start(directory: string, settings: Record<string, string>): Promise<Postgres> {
    const logFile = join(folder, "postgres.log");
    return startPostgres({ directory, port, logFile, settings: { fsync: "off", ...settings } });
  }

  async function kill(): Promise<void> {
    server.child.kill("SIGKILL");
    await server.child.exited;
  }

  function makeFolder(name: string): string {
    const path = join(home, name);
    mkdirSync(path, { mode: 0o700 });
    chownToCluster(path, first);
    return path;
  }
}
