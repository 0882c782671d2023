import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openDatabase } from "../../db/client.ts";
import { migrateDatabase } from "../../db/migrate.ts";
import {
  initialisePostgres,
  placePostgres,
  runStatement,
  startPostgres,
} from "../../tools/stack/postgres.ts";
import { findFreePort } from "../../tools/stack/process.ts";
import { chownToCluster, copyCluster, putIn } from "./cluster-copy.ts";

/** A PostgreSQL of a test's own with a standby that streams from it, and a migrated database. */
export async function startStreamedPostgres() {
  const folder = mkdtempSync(join(tmpdir(), "earnest-streamed-"));
  chmodSync(folder, 0o755);
  const first = placePostgres(join(folder, "postgres"));
  initialisePostgres(first);
  const home = dirname(first);
  const copy = join(home, "standby");
  const [port, standbyPort] = [await findFreePort(), await findFreePort()];
  const start = (directory: string, at: number, settings: Record<string, string>) =>
    startPostgres({ directory, port: at, logFile: join(folder, "postgres.log"), settings });
  const primary = await start(first, port, { fsync: "off" });
  await runStatement(primary.url("postgres"), "create database earnest");
  const url = primary.url("earnest");
  await migrateDatabase(url);
  mkdirSync(copy, { mode: 0o700 });
  chownToCluster(copy, first);
  await copyCluster(url, first, copy);
  putIn(copy, "standby.signal", "");
  const follow = () =>
    start(copy, standbyPort, {
      fsync: "off",
      primary_conninfo: `host=127.0.0.1 port=${port} user=earnest password=earnest`,

      hot_standby_feedback: "on",
    });
  let standby = await follow();
  const standbyUrl = standby.url("earnest");
  const db = openDatabase(url);

  const close = async () => {
    await db.$client.end();
    for (const { child } of [standby, primary]) {
      child.kill("SIGKILL");
      await child.exited;
    }
    for (const path of [home, folder]) rmSync(path, { recursive: true, force: true });
  };

  return {
    database: { url, db, close },
    standbyUrl,
    /** Pauses or resumes the replay of the standby. */
    pause: () => runStatement(standbyUrl, "select pg_wal_replay_pause()"),
    resume: () => runStatement(standbyUrl, "select pg_wal_replay_resume()"),
    /** Kills the standby with kill -9; starts it again. */
    async killStandby(): Promise<void> {
      standby.child.kill("SIGKILL");
      await standby.child.exited;
    },
    async startStandby(): Promise<void> {
      standby = await follow();
    },
    /** Promotes the standby to a primary. */
    promote: () => runStatement(standbyUrl, "select pg_promote(true, 30)"),
    /** Waits until the standby has replayed all writes of the primary. */
    async catchUp(): Promise<void> {
      const [row] = (await runStatement(url, "select pg_current_wal_lsn()::text as lsn")) as {
        lsn: string;
      }[];
      for (;;) {
        const [state] = (await runStatement(
          standbyUrl,
          "select pg_last_wal_replay_lsn() >= $1::pg_lsn as is",
          [row?.lsn ?? ""],
        )) as { is: boolean }[];
        if (state?.is) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
