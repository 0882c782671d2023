import { mkdirSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** More bytes than a checkpoint of ours has. */
const mostBytes = 4096;

/**
 * What the log is known to have come to, kept outside of the database: the last checkpoint, in a file. A database that was
 * restored from an old copy does not continue it.
 */
export async function readMemory(file: string): Promise<string | null> {
  try {
    const text = await readFile(file, "utf8");
    // What cannot be a checkpoint is refused by whoever reads it as one.
    return text.slice(0, mostBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Puts a checkpoint in the place of the one before, whole or not at all, and waits until the disk has it.
 *
 * @param writer names the draft: workers of several machines, or containers, may share the file
 */
export async function writeMemory(file: string, checkpoint: string, writer: string): Promise<void> {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${writer}.new`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(checkpoint);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  // The new name is on the disk once the folder is; Windows has no such thing.
  const directory = await open(folder, "r").catch(() => null);
  try {
    await directory?.sync();
  } catch {
  } finally {
    await directory?.close();
  }
}
