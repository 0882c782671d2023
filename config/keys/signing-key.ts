import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { issuerOf } from "../../receipts/issuer.ts";
import { createKeyring, type Keyring, parseKeyring, serializeKeyring } from "../../receipts/keyring.ts";
import { type Config, ConfigError } from "../config.ts";

/** The signer of receipts: its did:web name, its keys with the retired ones, and their log. */
export type ReceiptSigner = Keyring & { issuer: string };

type KeySource = Pick<Config, "signingKeyFile"> & Partial<Pick<Config, "signingKeys">>;

/**
 * Reads the keys that sign receipts. Missing keys are an error and never make new ones: receipts signed with a key
 * that nobody knew before could not be told from a forger's.
 *
 * @throws ConfigError saying what to do
 */
export function readReceiptSigner(config: KeySource & Pick<Config, "publicUrl">): ReceiptSigner {
  const keyring = readKeyring(config);
  if (keyring) return { issuer: issuerOf(config.publicUrl), ...keyring };
  throw new ConfigError(
    `There is no signing key at ${config.signingKeyFile}. If this service has signed receipts before, restore the file from its copy. ` +
      `Otherwise make one: \`npm start\` does on a fresh state, \`npm run keys -- create\` does anywhere.`,
  );
}

/**
 * Reads the keys of SIGNING_KEYS, or else of the key file; null where there is no file.
 *
 * @throws ConfigError where they cannot be used, or others may read the file
 */
export function readKeyring({ signingKeys, signingKeyFile: file }: KeySource): Keyring | null {
  if (signingKeys !== undefined) return parse(signingKeys, "SIGNING_KEYS");
  let text: string;
  try {
    text = readPrivately(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw asConfigError(error, `The signing key at ${file}`);
  }
  return parse(text, `The signing key at ${file}`);
}

/**
 * A reader for a running process. Each call gives the current keys, or null without a file. It reads the file again only
 * after a change. It throws the errors of `readReceiptSigner`; the next call tries again.
 */
export function createReceiptSignerReader(
  config: KeySource & Pick<Config, "publicUrl">,
): () => ReceiptSigner | null {
  let known: { mark: string; signer: ReceiptSigner } | null = null;
  return () => {
    const mark = markOf(config);
    if (mark === null) return null;
    if (known?.mark !== mark) known = { mark, signer: readReceiptSigner(config) };
    return known.signer;
  };
}

/** Makes a key file with one fresh key, readable by its owner only. Refuses to write over one that is there. */
export function createKeyFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, serializeKeyring(createKeyring()), { flag: "wx", mode: 0o600 });
}

/**
 * Puts changed keys in the place of a key file, whole or not at all, and keeps the old file beside it.
 *
 * @returns the path of the copy
 * @throws ConfigError where another change is under way
 */
export function replaceKeyFile(path: string, keyring: Keyring, now = new Date()): string {
  const file = realpathSync(path);
  const draft = `${file}.new`;
  const copy = `${file}.${now.toISOString().replaceAll(/[-:.]/g, "")}.old`;
  let handle: number;
  try {
    // One of two simultaneous changes finds the other's draft.
    handle = openSync(draft, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST")
      throw asConfigError(error, `The signing key at ${file}`);
    throw new ConfigError(
      `${draft} is there: another change of the keys is under way, or one was cut off. If none runs, remove it and try again.`,
    );
  }
  try {
    try {
      writeFileSync(handle, serializeKeyring(keyring));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    copyFileSync(file, copy, constants.COPYFILE_EXCL);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw asConfigError(error, `The signing key at ${file}`);
  }
  return copy;
}

/** Reads a file of secrets. Throws ConfigError where others than its owner may read it, and what node:fs throws. */
export function readPrivately(file: string): string {
  const handle = openSync(file, "r");
  try {
    const mode = fstatSync(handle).mode & 0o777;
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new ConfigError(
        `${file} holds private keys and others may read it (mode ${mode.toString(8)}): run \`chmod 600 ${file}\`.`,
      );
    }
    return readFileSync(handle, "utf8");
  } finally {
    closeSync(handle);
  }
}

/** Differs once the keys may have changed; null where there are none. */
function markOf({ signingKeys, signingKeyFile }: KeySource): string | null {
  if (signingKeys !== undefined) return "environment";
  const found = statSync(signingKeyFile, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino} ${found.mtimeNs} ${found.size} ${found.mode}` : null;
}

function parse(text: string, where: string): Keyring {
  try {
    return parseKeyring(text);
  } catch (error) {
    throw asConfigError(error, where);
  }
}

function asConfigError(error: unknown, where: string): ConfigError {
  if (error instanceof ConfigError) return error;
  return new ConfigError(`${where} cannot be used: ${(error as Error).message}`);
}
