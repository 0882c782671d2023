// npm run keys: the keys that sign receipts, and the one that signs the log of them. docs/operations/run.md says when to use each command.

import { parseArgs } from "node:util";
import * as z from "zod";
import { ConfigError } from "../config/config.ts";
import { createLogKeyFile, findLogSigner, logOrigin } from "../config/keys/log-key.ts";
import { createKeyFile, readKeyring, replaceKeyFile } from "../config/keys/signing-key.ts";
import { createWebhookKeyFile } from "../config/keys/webhook-key.ts";
import { readKeyConfig } from "../config/programs.ts";
import { formatVerifierKey } from "../protocol/tlog/note.ts";
import { compromise, type KeyChange, retirement, rotation, tabulateKeys } from "../receipts/key-changes.ts";
import { hashEntry } from "../receipts/keylog.ts";
import { type Keyring, KeyringError, serializeKeyring } from "../receipts/keyring.ts";

const usage = `npm run keys -- list                            every key, and what may be done with it
npm run keys -- create                          a first key file; refuses to replace one
npm run keys -- create-webhooks                 a key for the secrets of webhook endpoints; refuses to replace one
npm run keys -- create-log                      a key for the log of receipts; refuses to replace one
npm run keys -- rotate [--begin <time>] [--overlap <hours>]
                                                a fresh key that signs from --begin on (default: in 15 minutes);
                                                those in use are retired --overlap hours after that
npm run keys -- retire <kid> [--at <time>]      ends a key's use (default: now); its signatures stay valid
npm run keys -- compromise <kid> --since <time> marks a key that others may have had since then

Times are RFC 3339, as in 2026-11-21T12:00:00Z. The keys are those of SIGNING_KEY_FILE; with SIGNING_KEYS set, its new
value is printed on standard output and put in its place by you.`;

class UsageError extends Error {}

type KeyConfig = ReturnType<typeof readKeyConfig>;

function run(args: string[]): void {
  const { positionals, values } = parse(args);
  const [command, kid, ...rest] = positionals;
  const takesKid = command === "retire" || command === "compromise";
  if (!values.help && (rest.length > 0 || (takesKid ? !kid : kid !== undefined))) {
    throw new UsageError(takesKid ? "Name one key, as `list` shows it." : "There is a word too much.");
  }
  const config = readKeyConfig();
  if (values.help) console.log(usage);
  else if (command === "create") create(config);
  else if (command === "create-webhooks") createForWebhooks(config);
  else if (command === "create-log") createForLog(config);
  else if (command === "list") list(read(config), config);
  else apply(changeOf(command, kid ?? "", values, config), config);
}

function apply(change: KeyChange, config: KeyConfig): void {
  const now = new Date();
  const { ring, said } = change(read(config), now);
  if (config.signingKeys !== undefined) {
    console.log(JSON.stringify(JSON.parse(serializeKeyring(ring))));
    said.push(
      "Put the line on standard output into SIGNING_KEYS and restart every process that has it. It is secret.",
    );
  } else {
    const copy = replaceKeyFile(config.signingKeyFile, ring, now);
    said.push(
      `Changed: ${config.signingKeyFile}. The file before it is ${copy}; both hold private keys.`,
      "Running workers and APIs that read this file take it up within seconds. Copy it to every other machine that has one",
      "before its changes take effect, and to where you keep its copy: an older one is refused from now on.",
    );
  }
  // Standard output is for the secret alone.
  for (const line of said) console.error(line);
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
    return rotation({ begin: from, overlapMs: readHours(overlap) ?? 2 * offersMs, offersMs });
  }
  if (command === "retire" && !begin && !overlap && !since) return retirement(kid, readTime("--at", at));
  if (command === "compromise" && !begin && !overlap && !at) {
    const from = readTime("--since", since);
    if (!from) throw new UsageError("Say since when others may have had the key: --since <time>.");
    return compromise(kid, from);
  }
  throw new UsageError(
    command ? `\`keys ${command}\` does not go, or not with these options.` : "Say what to do.",
  );
}

function create(config: KeyConfig): void {
  if (config.signingKeys !== undefined) {
    throw new ConfigError("SIGNING_KEYS is set: the keys are there. Unset it to make a key file.");
  }
  try {
    createKeyFile(config.signingKeyFile);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new ConfigError(
      `${config.signingKeyFile} is there and stays: it may have signed receipts. To change keys, rotate them.`,
    );
  }
  console.log(`${config.signingKeyFile} made. Keep a copy where only you can read it.`);
}

function createForWebhooks({ webhookKeyFile: file }: KeyConfig): void {
  try {
    createWebhookKeyFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new ConfigError(`${file} is there and stays: with another key every endpoint would refuse us.`);
  }
  console.log(`${file} made. Keep a copy where only you can read it.`);
}

function createForLog({ logKey, logKeyFile: file, publicUrl }: KeyConfig): void {
  if (logKey !== undefined) {
    throw new ConfigError("LOG_KEY is set: the key is there. Unset it to make a key file.");
  }
  try {
    createLogKeyFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new ConfigError(`${file} is there and stays: what another key signs is another log.`);
  }
  console.log(
    `${file} made. Keep a copy where only you can read it. Of ${publicUrl} it is this verifier key:`,
  );
  console.log(describeLogKey({ logKey, logKeyFile: file, publicUrl }));
}

/** The log's verifier key, as auditors take it. */
function describeLogKey(config: Pick<KeyConfig, "logKey" | "logKeyFile" | "publicUrl">): string {
  const signer = findLogSigner(config, logOrigin(config.publicUrl));
  return signer ? formatVerifierKey(signer.key) : `none: there is no ${config.logKeyFile}`;
}

function read(config: KeyConfig): Keyring {
  const ring = readKeyring(config);
  if (ring) return ring;
  throw new ConfigError(
    `There is no signing key at ${config.signingKeyFile}: restore the file from its copy, or make a first one with \`npm run keys -- create\`.`,
  );
}

function list({ keys, log }: Keyring, config: KeyConfig): void {
  for (const line of tabulateKeys(keys, new Date())) console.log(line);
  const last = log.at(-1);
  const where = config.signingKeys === undefined ? config.signingKeyFile : "SIGNING_KEYS";
  console.log(`\n${where}; its log has ${log.length} entries, head ${last ? hashEntry(last) : "none"}`);
  console.log(`log key: ${describeLogKey(config)}`);
}

function readTime(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  if (!z.iso.datetime({ offset: true }).safeParse(text).success) {
    throw new UsageError(`${option} takes a time with its offset, as in 2026-11-21T12:00:00Z.`);
  }
  return new Date(text);
}

function readHours(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text)) throw new UsageError("--overlap takes a number of hours.");
  return Number(text) * 3_600_000;
}

try {
  run(process.argv.slice(2));
} catch (error) {
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${usage}`);
    process.exitCode = 2;
  } else if (error instanceof ConfigError || error instanceof KeyringError) {
    console.error(error.message);
    process.exitCode = 1;
  } else throw error;
}
