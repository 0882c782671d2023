import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";

const memorySchema = z.strictObject({
  v: z.literal(1),
  address: z.string(),
  /** the pinned or first seen verifier key of the log */
  vkey: z.string(),
  /** the newest checkpoint that continues all earlier ones, as the signed note; null before the first one */
  checkpoint: z.string().nullable(),
  /** the time at which the checkpoint was read, Unix milliseconds */
  at: z.int(),
});
export type Memory = z.infer<typeof memorySchema>;

/** Thrown if the stored state is unusable. Without its state, a monitor would miss a log that loses entries. */
export class MemoryError extends Error {
  override name = "MemoryError";
}

/** Reads the state of an earlier run for an installation; null if there is none. Throws `MemoryError`. */
export function readMemoryFile(file: string, address: string): Memory | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new MemoryError(`${file} cannot be read: ${(error as Error).message}`);
  }
  let memory: Memory;
  try {
    memory = memorySchema.parse(JSON.parse(text));
  } catch {
    throw new MemoryError(
      `${file} is not the state of a monitor. Restore it, or give another file by --state.`,
    );
  }
  if (memory.address !== address) {
    throw new MemoryError(
      `${file} belongs to ${memory.address}. Give each installation its own file by --state.`,
    );
  }
  return memory;
}

/** Writes the state to the disk atomically. */
export function writeMemoryFile(file: string, memory: Memory): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  const handle = openSync(draft, "w");
  try {
    writeFileSync(handle, `${JSON.stringify(memory, null, 2)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}
