import { spawnSync } from "node:child_process";
import { chownSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPostgres } from "../../db/postgres.ts";

/** Copies a cluster while its server works, as pg_basebackup does, which the embedded PostgreSQL lacks. */
export async function copyCluster(url: string, from: string, to: string): Promise<void> {
  const sql = openPostgres(url);
  try {
    await sql`select pg_backup_start('test', fast => true)`;
    const copied = spawnSync("cp", ["-a", `${from}/.`, to], { encoding: "utf8" });
    if (copied.status !== 0) throw new Error(copied.stderr);
    const [stopped] = await sql`select labelfile from pg_backup_stop(wait_for_archive => false)`;
    putIn(to, "backup_label", stopped?.labelfile);
  } finally {
    await sql.end();
  }
  for (const file of ["postmaster.pid", "postmaster.opts"]) rmSync(join(to, file), { force: true });
}

/** Writes a file into a cluster's folder, as its server's own. */
export function putIn(directory: string, file: string, text: string): void {
  const path = join(directory, file);
  writeFileSync(path, text, { mode: 0o600 });
  chownToCluster(path, directory);
}

/** Gives our files to the owner of the cluster, who is another user where the tests run as root. */
export function chownToCluster(path: string, cluster: string): void {
  const { uid, gid } = statSync(cluster);
  chownSync(path, uid, gid);
}
