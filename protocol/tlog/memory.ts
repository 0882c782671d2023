import { type Checkpoint, parseCheckpoint } from "./checkpoint.ts";
import { failureOf, type LogFailure, LogRejection } from "./errors.ts";
import type { FetchBytes } from "./fetch.ts";
import { isSameHash } from "./merkle.ts";
import { parseNote } from "./note.ts";
import { decodeText } from "./note-text.ts";
import { LogReader } from "./reader.ts";
import { openCheckpoint, type Trust, type VerifiedCheckpoint } from "./verify.ts";

/** A client's memory: the newest checkpoint of each log, as the signed note, by the log's origin. */
export interface LogMemory {
  get: (origin: string) => Promise<string | null> | string | null;
  set: (origin: string, checkpoint: string) => Promise<void> | void;
}

export interface MemoryOptions {
  memory: LogMemory;
  /** Reads the tiles of the log; see `fetchFrom`. */
  fetch: FetchBytes;
  /** True for the checkpoint that the log shows now. The checkpoint of an older proof may be smaller. */
  isNewest?: boolean;
}

/** A checkpoint that belongs to the history of the remembered one. */
export interface RememberedCheckpoint extends VerifiedCheckpoint {
  /** The remembered tree, compared with the tree of the checkpoint. */
  seen: "nothing" | "same" | "smaller" | "larger";
}

/** A failure. If the log contradicts itself, the two signed notes are the evidence. */
export interface MemoryFailure extends LogFailure {
  evidence?: { remembered: string; given: string };
}

/**
 * Checks a checkpoint, and that it belongs to the history of the remembered checkpoint. Then remembers the larger one.
 *
 * `forked`: tiles of the larger tree show that the smaller tree is not a part of it.
 * `rolled_back`: the newest checkpoint of the log is smaller than the remembered one.
 *
 * Both come with the two notes as evidence. Only an error of the memory itself is thrown.
 */
export async function checkMemory(
  input: string | Uint8Array,
  trust: Trust,
  { memory, fetch, isNewest = false }: MemoryOptions,
): Promise<RememberedCheckpoint | MemoryFailure> {
  let verified: VerifiedCheckpoint;
  try {
    verified = openCheckpoint(input, trust);
  } catch (error) {
    return failureOf(error);
  }
  const given = typeof input === "string" ? input : decodeText(input);
  const { checkpoint } = verified;
  const remembered = await memory.get(checkpoint.origin);
  if (remembered === null) {
    await memory.set(checkpoint.origin, given);
    return { ...verified, seen: "nothing" };
  }
  const known = readRemembered(remembered, checkpoint.origin);
  const refuse = (code: "forked" | "rolled_back", detail: string): MemoryFailure => ({
    ...failureOf(new LogRejection(code, detail)),
    evidence: { remembered, given },
  });
  if (known.size === checkpoint.size) {
    if (!isSameHash(known.root, checkpoint.root))
      return refuse("forked", `Both trees have ${known.size} entries.`);
    return { ...verified, seen: "same" };
  }
  const [smaller, larger] = known.size < checkpoint.size ? [known, checkpoint] : [checkpoint, known];
  let root: Uint8Array;
  try {
    root = await new LogReader(larger, fetch).rootAt(smaller.size);
  } catch (error) {
    if (larger === known && error instanceof LogRejection && error.code === "tile_unavailable")
      return failureOf(
        new LogRejection(
          "tile_unavailable",
          `The memory has a tree of ${known.size} entries, and the log shows only ${checkpoint.size} and no tiles of the larger tree. The log lost entries, or began anew under its old name. If you know that it began anew, remove its checkpoint from the memory.`,
        ),
      );
    return failureOf(error);
  }
  if (!isSameHash(root, smaller.root)) {
    return refuse("forked", `The trees have ${smaller.size} and ${larger.size} entries.`);
  }
  if (larger === known) {
    if (isNewest)
      return refuse(
        "rolled_back",
        `The remembered tree has ${known.size} entries, the new one ${checkpoint.size}.`,
      );
    return { ...verified, seen: "larger" };
  }
  await memory.set(checkpoint.origin, given);
  return { ...verified, seen: "smaller" };
}

/** Parses a remembered note. Throws a TypeError, because a damaged memory is not the log's fault. */
function readRemembered(note: string, origin: string) {
  let known: Checkpoint;
  try {
    known = parseCheckpoint(parseNote(note).text);
  } catch {
    throw new TypeError(
      `The memory of ${origin} is not a checkpoint: restore it, or remove it to start without a memory.`,
    );
  }
  if (known.origin !== origin)
    throw new TypeError(`The memory of ${origin} has a checkpoint of ${known.origin}.`);
  return known;
}
