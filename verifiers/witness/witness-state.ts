import { link, mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { WitnessError } from "./witness-errors.ts";

const recordSchema = z.strictObject({
  size: z.int().nonnegative(),
  /** base64, as in the checkpoint */
  root: z.string(),
  /** the time of the cosignature, Unix seconds */
  at: z.int(),
  /** the note with the signatures of the log and the witness */
  checkpoint: z.string(),
  /** The first proof that the log signed two trees of one size: the cosigned note and the submitted one. */
  fork: z.strictObject({ held: z.string(), shown: z.string() }).optional(),
});
/** The record of a log: the latest cosigned checkpoint. */
export type LogRecord = z.infer<typeof recordSchema>;

const stateSchema = z.strictObject({
  v: z.literal(1),
  /** the verifier key of the state's witness */
  witness: z.string(),
  /** by origin */
  logs: z.record(z.string(), recordSchema),
});

/**
 * The state of a witness, in a folder. Each write creates a file with the next number. A second process finds the
 * number taken, so only one of two processes continues. A crash leaves no lock.
 */
export type WitnessState = {
  /** the witness's verifier key */
  witness: string;
  origins(): string[];
  read(origin: string): LogRecord | undefined;
  /** Resolves when the record is on the disk. If a write fails, its records are forgotten. Throws `state_taken`. */
  write(origin: string, record: LogRecord): Promise<void>;
};

const fileName = (version: number) => `${String(version).padStart(16, "0")}.json`;

async function listVersions(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names
    .flatMap((name) => (/^\d{16}\.json$/.test(name) ? [Number(name.slice(0, 16))] : []))
    .sort((a, b) => a - b);
}

/** Creates the state of a new witness. Throws `state_exists` if there is one. */
export async function createState(folder: string, witness: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await listVersions(folder)).length > 0)
    throw new WitnessError("state_exists", `The folder is ${folder}.`);
  await writeVersion(folder, 1, JSON.stringify({ v: 1, witness, logs: {} }));
}

/** Opens the state of a witness. Throws `state_missing` or `state_unreadable`. */
export async function openState(folder: string): Promise<WitnessState> {
  const versions = await listVersions(folder).catch(() => []);
  let version = versions.at(-1);
  if (version === undefined) throw new WitnessError("state_missing", `The folder is ${folder}.`);
  const file = join(folder, fileName(version));
  const parsed = stateSchema.safeParse(await readJson(file));
  if (!parsed.success) throw new WitnessError("state_unreadable", `The file is ${file}.`);
  const { witness } = parsed.data;
  const logs = new Map(Object.entries(parsed.data.logs));

  let waiting = new Map<string, LogRecord>();
  let next: Promise<void> | null = null;
  let last: Promise<void> = Promise.resolve();

  /** Writes all waiting records. Calls during a write share the next one. */
  async function writeWaiting(): Promise<void> {
    const taken = waiting;
    waiting = new Map();
    next = null;
    const written = Object.fromEntries([...logs, ...taken]);
    await writeVersion(folder, (version as number) + 1, JSON.stringify({ v: 1, witness, logs: written }));
    version = (version as number) + 1;
    for (const [origin, record] of taken) logs.set(origin, record);
  }

  return {
    witness,
    origins: () => [...logs.keys()],
    read: (origin) => logs.get(origin),
    write(origin, record) {
      waiting.set(origin, record);
      if (!next) {
        next = last.then(writeWaiting);
        last = next.catch(() => {});
      }
      return next;
    },
  };
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Writes a version to the disk atomically. Throws `state_taken` if this version or a later one exists. */
async function writeVersion(folder: string, version: number, text: string): Promise<void> {
  const draft = join(folder, `draft.${process.pid}`);
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(draft, join(folder, fileName(version)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new WitnessError("state_taken", `The folder is ${folder}.`);
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(folder);
  const versions = await listVersions(folder);
  // Old versions are removed, so a free number alone does not exclude a later version.
  if (versions.at(-1) !== version) throw new WitnessError("state_taken", `The folder is ${folder}.`);
  for (const old of versions.filter((one) => one < version - 1)) await rm(join(folder, fileName(old)));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
