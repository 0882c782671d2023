// npm run keys: the keys that sign receipts. docs/operations.md has when to do what.

import { parseArgs } from "node:util";
import * as z from "zod";
import { readKeyConfig } from "../config/programs.ts";
import { ConfigError } from "../config.ts";
import { findCurrentKey, isValidAt } from "../receipts/key-window.ts";
import { hashEntry } from "../receipts/keylog.ts";
import {
  compromiseKey,
  type Keyring,
  KeyringError,
  retireKey,
  rotateKeys,
  serializeKeyring,
} from "../receipts/keyring.ts";
import type { SigningKey } from "../receipts/keys.ts";
import { createKeyFile, readKeyring, replaceKeyFile } from "../signer.ts";
import { createWebhookKeyFile } from "../webhook-key.ts";

const usage = `npm run keys -- list                            every key, and what may be done with it
npm run keys -- create                          a first key file; refuses to replace one
npm run keys -- create-webhooks                 a key for the secrets of webhook endpoints; refuses to replace one
npm run keys -- rotate [--begin <time>] [--overlap <hours>]
                                                a fresh key that signs from --begin on (in 15 minutes unless told);
                                                those in use are retired --overlap hours after that
npm run keys -- retire <kid> [--at <time>]      ends a key's use, now unless told; what it signed stays good
npm run keys -- compromise <kid> --since <time> marks a key that others may have had since then

Times are RFC 3339, as in 2026-11-21T12:00:00Z. The keys are those of SIGNING_KEY_FILE; with SIGNING_KEYS set, its new
value is printed on standard output and put in its place by you.`;

/**
 * How long others may go by the keys they know, in milliseconds: JWKS clients keep a set for up to ten minutes (jose's
 * default), caches our documents for one, and workers look for a changed file every five seconds.
 */
const leadMs = 15 * 60_000;

class UsageError extends Error {}

type KeyConfig = ReturnType<typeof readKeyConfig>;

/** One change, and what the operator is told of it. */
type Change = (ring: Keyring, now: Date) => { ring: Keyring; said: string[] };

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
  else if (command === "list") list(read(config), config);
  else apply(changeOf(command, kid ?? "", values, config), config);
}

function apply(change: Change, config: KeyConfig): void {
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
): Change {
  const { begin, overlap, at, since } = values;
  if (command === "rotate" && !at && !since) {
    const beginAt = readTime("--begin", begin);
    const overlapMs = readHours(overlap) ?? 2000 * fundingSeconds;
    return (ring, now) => {
      const start = beginAt ?? new Date(Math.floor((now.getTime() + leadMs) / 1000) * 1000);
      const end = new Date(start.getTime() + overlapMs);
      const rotated = rotateKeys(ring, { begin: start, end, now });
      const fresh = rotated.keys.at(-1) as SigningKey;
      const said = [
        `${fresh.kid} is made. It is published at once and signs from ${fresh.not_before} on; the keys in use are retired at ${end.toISOString()}.`,
      ];
      if (start.getTime() - now.getTime() < leadMs) {
        said.push(
          "That is less than 15 minutes: verifiers that keep the keys they know refuse the new one until then.",
        );
      }
      if (overlapMs < 1000 * fundingSeconds) {
        said.push(
          "Offers signed before stand for as long as an order may be funded, and lose their key before that.",
        );
      }
      return { ring: rotated, said };
    };
  }
  if (command === "retire" && !begin && !overlap && !since) {
    const end = readTime("--at", at);
    return (ring, now) => {
      const retired = retireKey(ring, kid, { end, now });
      const key = retired.keys.find((one) => one.kid === kid);
      return {
        ring: retired,
        said: [`${kid} is retired at ${key?.retired_at}. What it signed until then stays good.`],
      };
    };
  }
  if (command === "compromise" && !begin && !overlap && !at) {
    const from = readTime("--since", since);
    if (!from) throw new UsageError("Say since when others may have had the key: --since <time>.");
    return (ring, now) => {
      const changed = compromiseKey(ring, kid, { since: from, now });
      const fresh = changed.keys.length > ring.keys.length ? changed.keys.at(-1) : undefined;
      const said = [
        `${kid} is compromised since ${from.toISOString()} and signs nothing any more. What it signed is refused, unless it is older and the chain bears it out.`,
        "Who took this key from the file took the others in it too: mark each of them.",
      ];
      if (fresh) said.unshift(`${fresh.kid} is made and signs from now on: no other key was in use.`);
      return { ring: changed, said };
    };
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

function read(config: KeyConfig): Keyring {
  const ring = readKeyring(config);
  if (ring) return ring;
  throw new ConfigError(
    `There is no signing key at ${config.signingKeyFile}: restore the file from its copy, or make a first one with \`npm run keys -- create\`.`,
  );
}

function list({ keys, log }: Keyring, config: KeyConfig): void {
  const now = new Date();
  const current = findCurrentKey(keys, now);
  const rows = keys.map((key) => [
    key.kid,
    stateOf(key, current, now),
    key.not_before,
    key.retired_at ?? "",
    key.compromised_since ?? "",
  ]);
  const table = [["key", "state", "signs from", "retired at", "compromised since"], ...rows];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of table) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  }
  const last = log.at(-1);
  const where = config.signingKeys === undefined ? config.signingKeyFile : "SIGNING_KEYS";
  console.log(`\n${where}; its log has ${log.length} entries, head ${last ? hashEntry(last) : "none"}`);
}

function stateOf(key: SigningKey, current: SigningKey | undefined, now: Date): string {
  if (key.compromised_since !== null) return "compromised";
  if (key === current) return "signs";
  if (isValidAt(key, now)) return "good, rests";
  return Date.parse(key.not_before) > now.getTime() ? "waits" : "retired";
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
