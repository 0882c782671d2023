import { readdirSync, readFileSync } from "node:fs";
import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";

/** Reads the user and system time of a process and of its ended children, in ticks of 10 ms (proc(5)). */
export function readTicks(pid: number): number {
  const fields = fieldsOf(pid);
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** Reads the time of all processes of the database's PostgreSQL server, including ended ones, in ticks of 10 ms. */
export async function readServerTicks(db: Database): Promise<number> {
  const { rows } = await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  const server = parentOf(rows[0]?.pid ?? 0);
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return processes.map(Number).reduce((sum, pid) => {
    try {
      return pid === server || parentOf(pid) === server ? sum + readTicks(pid) : sum;
    } catch {
      return sum;
    }
  }, 0);
}

function parentOf(pid: number): number {
  return Number(fieldsOf(pid)[1]);
}

/** Reads the fields after the program's name in `/proc/<pid>/stat`, beginning with the state. */
function fieldsOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
