import { type Checkpoint, parseCheckpoint } from "./checkpoint.ts";
import { failureOf, type LogFailure, LogRejection } from "./errors.ts";
import type { FetchBytes } from "./fetch.ts";
import { isSameHash } from "./merkle.ts";
import { parseNote } from "./note.ts";
import { decodeText } from "./note-text.ts";
import { LogReader } from "./reader.ts";
import { openCheckpoint, type Trust, type VerifiedCheckpoint } from "./verify.ts";

/** A client's memory of each log: the newest checkpoint that it saw, as the signed note, by the log's origin. */
export interface LogMemory {
  get: (origin: string) => Promise<string | null> | string | null;
  set: (origin: string, checkpoint: string) => Promise<void> | void;
}

export interface MemoryOptions {
  memory: LogMemory;
  /** Reads the log's tiles: `fetchFrom` its prefix. */
  fetch: FetchBytes;
  /** Whether the checkpoint is what the log shows now; one of an older proof may be older than what is remembered. */
  isNewest?: boolean;
}

/** A checkpoint that fits what was seen of its log before. */
export interface RememberedCheckpoint extends VerifiedCheckpoint {
  /** The memory's tree compared to the checkpoint's: nothing, the same tree, a smaller or a larger one. */
  seen: "nothing" | "same" | "smaller" | "larger";
}

/** A refusal; where the log contradicts itself, with the two notes that it signed, which prove that to anybody. */
export interface MemoryFailure extends LogFailure {
  evidence?: { remembered: string; given: string };
}

/**
 * Checks a checkpoint, and that it belongs to the same history as the newest one that is remembered of its log; then
 * remembers the newer of the two. `forked` comes with both as evidence, and only where tiles that lead to the larger
 * checkpoint's root show that the smaller one is no part of it; `rolled_back`, of the newest alone, where it is smaller
 * than what is remembered. Never throws of what the log does; an error of the memory itself is thrown.
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
    if (!isSameHash(known.root, checkpoint.root)) return refuse("forked", `Both have ${known.size} entries.`);
    return { ...verified, seen: "same" };
  }
  const [smaller, larger] = known.size < checkpoint.size ? [known, checkpoint] : [checkpoint, known];
  let root: Uint8Array;
  try {
    root = await new LogReader(larger, fetch).rootAt(smaller.size);
  } catch (error) {
    return failureOf(error);
  }
  if (!isSameHash(root, smaller.root)) {
    return refuse("forked", `One has ${smaller.size} entries, the other ${larger.size}.`);
  }
  if (larger === known) {
    if (isNewest)
      return refuse("rolled_back", `It was of ${known.size} entries, and is of ${checkpoint.size}.`);
    return { ...verified, seen: "larger" };
  }
  await memory.set(checkpoint.origin, given);
  return { ...verified, seen: "smaller" };
}

/** Throws a TypeError: what is damaged here accuses no log. */
function readRemembered(note: string, origin: string) {
  let known: Checkpoint;
  try {
    known = parseCheckpoint(parseNote(note).text);
  } catch {
    throw new TypeError(`What is remembered of ${origin} is no checkpoint: move it away to begin anew.`);
  }
  if (known.origin !== origin) throw new TypeError(`What is remembered of ${origin} is of ${known.origin}.`);
  return known;
}
