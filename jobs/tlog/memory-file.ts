import { mkdirSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** More bytes than any checkpoint of the log has. */
const mostBytes = 4096;

/**
 * Reads the memory file: the log's last checkpoint, kept outside of the database. A database restored from an old copy
 * does not continue it.
 */
export async function readMemoryFile(file: string): Promise<string | null> {
  try {
    const text = await readFile(file, "utf8");
    // A text that is no checkpoint is refused where it is parsed.
    return text.slice(0, mostBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Replaces the memory file atomically, and waits until the checkpoint is on the disk.
 *
 * @param writer names the draft: workers of several machines or containers may share the file
 */
export async function writeMemoryFile(file: string, checkpoint: string, writer: string): Promise<void> {
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
  // The rename is on the disk once the folder is synced. Windows cannot sync folders.
  const directory = await open(folder, "r").catch(() => null);
  try {
    await directory?.sync();
  } catch {
  } finally {
    await directory?.close();
  }
}
