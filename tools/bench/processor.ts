import { readdirSync, readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";

/** Processor time of a process and of the children it has waited for, in ticks of 10 ms: user and system (proc(5)). */
export function readTicks(pid: number): number {
  const fields = fieldsOf(pid);
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** The same of the whole PostgreSQL that the database is in: all its processes, those that have ended too. */
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
