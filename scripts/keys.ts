// npm run keys: manages the keys that sign receipts, the log and webhooks. docs/operations/run.md says when to use each command.

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { ConfigError } from "../config/config.ts";
import type { Environment } from "../config/environment.ts";
import { createLogKeyFile, findLogSigner, logOrigin } from "../config/keys/log-key.ts";
import { createKeyFile, readKeyring, replaceKeyFile } from "../config/keys/signing-key.ts";
import { createWebhookKeyFile } from "../config/keys/webhook-key.ts";
import { readKeyConfig } from "../config/programs.ts";
import { formatVerifierKey } from "../protocol/tlog/note.ts";
import {
  type KeyChange,
  planCompromise,
  planRetirement,
  planRotation,
  tabulateKeys,
} from "../receipts/key-changes.ts";
import { hashEntry } from "../receipts/key-log.ts";
import { type Keyring, KeyringError, serializeKeyring } from "../receipts/keyring.ts";

const usage = `npm run keys -- list                            lists the keys with their state and the commands that apply
npm run keys -- create                          creates the first key file; never replaces one
npm run keys -- create-webhooks                 creates the key for the secrets of webhook endpoints; never replaces one
npm run keys -- create-log                      creates the key of the log of receipts; never replaces one
npm run keys -- rotate [--begin <time>] [--overlap <hours>]
                                                creates a key that signs from --begin on (default: in 15 minutes)
                                                and retires the present keys --overlap hours later
npm run keys -- retire <kid> [--at <time>]      retires a key (default: now); its signatures stay valid
npm run keys -- compromise <kid> --since <time> marks a key as known to others since a time

Times are RFC 3339, as in 2026-11-21T12:00:00Z. The commands change SIGNING_KEY_FILE. If SIGNING_KEYS is set, they print
its new value on standard output instead, and you set it.`;

class UsageError extends Error {}

type KeyConfig = ReturnType<typeof readKeyConfig>;
/** The lines for standard output, which has all secrets, and those for standard error. */
type Printed = { out: string[]; err: string[] };

/** Runs a command, as in `["retire", "key-1"]`, with the settings of an environment. `code` is the exit code. */
export function runKeys(args: string[], env: Environment = process.env): Printed & { code: number } {
  try {
    return { code: 0, ...run(args, env) };
  } catch (error) {
    if (error instanceof UsageError) return { code: 2, out: [], err: [error.message, "", usage] };
    if (!(error instanceof ConfigError || error instanceof KeyringError)) throw error;
    return { code: 1, out: [], err: [error.message] };
  }
}

const show = (...out: string[]): Printed => ({ out, err: [] });

function run(args: string[], env: Environment): Printed {
  const { positionals, values } = parse(args);
  const [command, kid, ...rest] = positionals;
  const takesKid = command === "retire" || command === "compromise";
  if (!values.help && (rest.length > 0 || (takesKid ? !kid : kid !== undefined))) {
    throw new UsageError(takesKid ? "Give the id of one key, as `list` shows it." : "Give only one command.");
  }
  const config = readKeyConfig(env);
  if (values.help) return show(usage);
  if (command === "create") return create(config);
  if (command === "create-webhooks") return createForWebhooks(config);
  if (command === "create-log") return createForLog(config);
  if (command === "list") return list(read(config), config);
  return apply(changeOf(command, kid ?? "", values, config), config);
}

function apply(change: KeyChange, config: KeyConfig): Printed {
  const now = new Date();
  const { ring, messages } = change(read(config), now);
  if (config.signingKeys !== undefined) {
    const advice =
      "Set SIGNING_KEYS to the line on standard output, which is secret, and restart every process that has the setting.";
    return { out: [JSON.stringify(JSON.parse(serializeKeyring(ring)))], err: [...messages, advice] };
  }
  const copy = replaceKeyFile(config.signingKeyFile, ring, now);
  const advice = [
    `Changed ${config.signingKeyFile}. ${copy} is the previous file; both hold private keys.`,
    "Running workers and APIs that read this file load it within seconds. Copy it to every other machine that has one",
    "before the changes take effect, and replace your backup: programs refuse an older file from now on.",
  ];
  return { out: [], err: [...messages, ...advice] };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h" },
        begin: { type: "string" },
        overlap: { type: "string" },
        at: { type: "string" },
        since: { type: "string" },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function changeOf(
  command: string | undefined,
  kid: string,
  values: ReturnType<typeof parse>["values"],
  { fundingSeconds }: KeyConfig,
): KeyChange {
  const { begin, overlap, at, since } = values;
  if (command === "rotate" && !at && !since) {
    const offersMs = 1000 * fundingSeconds;
    const from = readTime("--begin", begin);
    return planRotation({ begin: from, overlapMs: readHours(overlap) ?? 2 * offersMs, offersMs });
  }
  if (command === "retire" && !begin && !overlap && !since) return planRetirement(kid, readTime("--at", at));
  if (command === "compromise" && !begin && !overlap && !at) {
    const from = readTime("--since", since);
    if (!from) throw new UsageError("--since is missing: give the time from which others may have the key.");
    return planCompromise(kid, from);
  }
  throw new UsageError(
    command
      ? `\`keys ${command}\` is no command, or does not take these options.`
      : "Give a command, as in `keys list`.",
  );
}

function create(config: KeyConfig): Printed {
  if (config.signingKeys !== undefined) {
    throw new ConfigError("SIGNING_KEYS is set and has the keys. Unset it to create a key file.");
  }
  try {
    createKeyFile(config.signingKeyFile);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new ConfigError(
      `${config.signingKeyFile} exists and stays: it may have signed receipts. To change keys, rotate them.`,
    );
  }
  return show(`Created ${config.signingKeyFile}. Keep a copy where only you can read it.`);
}

function createForWebhooks({ webhookKeyFile: file }: KeyConfig): Printed {
  try {
    createWebhookKeyFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new ConfigError(
      `${file} exists and stays: with another key, the secrets of all endpoints would change.`,
    );
  }
  return show(`Created ${file}. Keep a copy where only you can read it.`);
}

function createForLog({ logKey, logKeyFile: file, publicUrl }: KeyConfig): Printed {
  if (logKey !== undefined) {
    throw new ConfigError("LOG_KEY is set and has the key. Unset it to create a key file.");
  }
  try {
    createLogKeyFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new ConfigError(`${file} exists and stays: another key would sign another log.`);
  }
  return show(
    `Created ${file}. Keep a copy where only you can read it. The verifier key of the log of ${publicUrl}:`,
    describeLogKey({ logKey, logKeyFile: file, publicUrl }),
  );
}

/** Returns the log's verifier key in the form that auditors use. */
function describeLogKey(config: Pick<KeyConfig, "logKey" | "logKeyFile" | "publicUrl">): string {
  const signer = findLogSigner(config, logOrigin(config.publicUrl));
  return signer ? formatVerifierKey(signer.key) : `none: there is no ${config.logKeyFile}`;
}

function read(config: KeyConfig): Keyring {
  const ring = readKeyring(config);
  if (ring) return ring;
  throw new ConfigError(
    `There is no signing key at ${config.signingKeyFile}: restore the file from its copy, or create the first one by \`npm run keys -- create\`.`,
  );
}

function list({ keys, log }: Keyring, config: KeyConfig): Printed {
  const last = log.at(-1);
  const where = config.signingKeys === undefined ? config.signingKeyFile : "SIGNING_KEYS";
  return show(
    ...tabulateKeys(keys, new Date()),
    `\n${where}; its log has ${log.length} entries, head ${last ? hashEntry(last) : "none"}`,
    `log key: ${describeLogKeyOrFault(config)}`,
  );
}

/** A fault of the log's key hides no other key. */
function describeLogKeyOrFault(config: KeyConfig): string {
  try {
    return describeLogKey(config);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

function readTime(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  if (!z.iso.datetime({ offset: true }).safeParse(text).success) {
    throw new UsageError(`${option} must be a time with its offset, as in 2026-11-21T12:00:00Z.`);
  }
  return new Date(text);
}

function readHours(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text)) throw new UsageError("--overlap must be a number of hours.");
  return Number(text) * 3_600_000;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { code, out, err } = runKeys(process.argv.slice(2));
  for (const line of out) console.log(line);
  for (const line of err) console.error(line);
  process.exitCode = code;
}
