import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { keyTypes, type NoteSigner } from "../../protocol/tlog/note.ts";
import { createSigner } from "../../protocol/tlog/note-signer.ts";
import { type Config, ConfigError } from "../config.ts";
import { readPrivately } from "./signing-key.ts";

type KeySource = Pick<Config, "logKey" | "logKeyFile">;

const seedBytes = 32;

/**
 * Reads the key that signs the log's checkpoints, from LOG_KEY or else the key file. It never makes one: what another
 * key signs is another log.
 *
 * @param origin the log's name, as `logOrigin` gives it
 * @returns null where there is none
 * @throws ConfigError where it cannot be used, or others may read the file
 */
export function findLogSigner({ logKey, logKeyFile: file }: KeySource, origin: string): NoteSigner | null {
  if (logKey !== undefined) return makeSigner(logKey, "LOG_KEY", origin);
  let text: string;
  try {
    text = readPrivately(file);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new ConfigError(`The log key at ${file} cannot be read: ${(error as Error).message}`);
  }
  return makeSigner(text, file, origin);
}

/** The log's name (c2sp.org/tlog-tiles): where its tiles are, without the scheme. */
export function logOrigin(publicUrl: string): string {
  return `${publicUrl.replace(/^https?:\/\//, "").replace(/\/+$/, "")}/log`;
}

/** Makes a key file, readable by its owner only. Refuses to write over one that is there. */
export function createLogKeyFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${randomBytes(seedBytes).toString("base64")}\n`, { flag: "wx", mode: 0o600 });
}

function makeSigner(text: string, where: string, origin: string): NoteSigner {
  const seed = Buffer.from(text.trim(), "base64");
  if (seed.length !== seedBytes || seed.toString("base64") !== text.trim()) {
    throw new ConfigError(
      `${where} is not a log key: it holds the base64 of ${seedBytes} bytes. Restore it from its copy.`,
    );
  }
  return createSigner(origin, keyTypes.ed25519, new Uint8Array(seed));
}
