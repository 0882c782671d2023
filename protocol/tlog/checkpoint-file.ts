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
 * Remembers logs in a JSON file: the newest checkpoint of each by its origin. Written as a whole, so that no reader ever
 * sees a part. Throws where the file is there and holds something else: what was seen must not be forgotten in silence.
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
        `${file} should hold the checkpoints of logs that were seen, and does not. Move it away to begin anew.`,
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
