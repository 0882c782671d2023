import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod";
import type { LogMemory } from "./memory.ts";

const memorySchema = z.record(z.string(), z.string());

/** Returns the path of the command lines' memory of logs: one file for each user. */
export function memoryFile(): string {
  return join(process.env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "earnest", "logs.json");
}

/**
 * Returns a memory of logs in a JSON file: the newest checkpoint of each log, by its origin. The file is replaced
 * atomically, so no reader sees a part of it. Throws on a file with other content, so that no checkpoint is lost
 * silently.
 */
export function rememberInFile(file = memoryFile()): LogMemory {
  const read = (): Record<string, string> => {
    let text: string;
    try {
      text = readFileSync(file, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
      throw error;
    }
    try {
      return memorySchema.parse(JSON.parse(text));
    } catch {
      throw new Error(
        `${file} does not contain the checkpoints of logs. Restore the file, or move it away to start without a memory.`,
      );
    }
  };
  return {
    get: (origin) => new Map(Object.entries(read())).get(origin) ?? null,
    set: (origin, checkpoint) => {
      const all = new Map(Object.entries(read())).set(origin, checkpoint);
      mkdirSync(dirname(file), { recursive: true });
      const draft = `${file}.${process.pid}`;
      writeFileSync(draft, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
      renameSync(draft, file);
    },
  };
}
