import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Config, ConfigError } from "../config.ts";
import { readPrivately } from "./signing-key.ts";

type KeySource = Pick<Config, "webhookKeyFile">;

const keyBytes = 32;

/**
 * Reads the key that the signing secrets of all webhook endpoints are derived from. A missing key is an error and never
 * makes a new one: every receiver would refuse what is signed with it.
 *
 * @throws ConfigError saying what to do
 */
export function readWebhookKey(config: KeySource): Uint8Array {
  const key = findWebhookKey(config);
  if (key) return key;
  throw new ConfigError(
    `There is no webhook key at ${config.webhookKeyFile}. If this service has webhook endpoints, restore the file from its copy: ` +
      "without it their signatures cannot be made. Otherwise make one with `npm run keys -- create-webhooks`.",
  );
}

/** The same; null where there is no file. */
export function findWebhookKey({ webhookKeyFile: file }: KeySource): Uint8Array | null {
  let text: string;
  try {
    text = readPrivately(file);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new ConfigError(`The webhook key at ${file} cannot be read: ${(error as Error).message}`);
  }
  const key = Buffer.from(text.trim(), "base64");
  if (key.length !== keyBytes || key.toString("base64") !== text.trim()) {
    throw new ConfigError(
      `${file} is not a webhook key: it holds the base64 of ${keyBytes} bytes. Restore it from its copy.`,
    );
  }
  return new Uint8Array(key);
}

/** Makes a key file, readable by its owner only. Refuses to write over one that is there. */
export function createWebhookKeyFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${randomBytes(keyBytes).toString("base64")}\n`, { flag: "wx", mode: 0o600 });
}
