import { readdirSync, readFileSync, statSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";

const megabyte = 2 ** 20;
/** PostgreSQL's default in MB. Each further gigabyte costs 20 MB at start for its page table. */
const usual = 128;

/**
 * Computes PostgreSQL's `shared_buffers` for a cluster: room for all its data, at most a quarter of the machine's memory.
 * Undefined if the default suffices, or `ALTER SYSTEM` has set the value.
 */
export function sharedBuffersFor(directory: string, memory = memoryOfUs()): string | undefined {
  const configuration = join(directory, "postgresql.auto.conf");
  if (/^\s*shared_buffers\b/m.test(readFileSync(configuration, "utf8"))) return undefined;
  // Some room to grow until the next start.
  const wanted = Math.min(1.25 * sizeOf(join(directory, "base")), memory / 4);
  const megabytes = Math.floor(wanted / megabyte);
  return megabytes > usual ? `${megabytes}MB` : undefined;
}

/** Returns the memory of the machine or of the container. */
function memoryOfUs(): number {
  // Without a limit, the value is 0 or exceeds the machine's memory.
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

function sizeOf(folder: string): number {
  let size = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    size += entry.isDirectory() ? sizeOf(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  }
  return size;
}
