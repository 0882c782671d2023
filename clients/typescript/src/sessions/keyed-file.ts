import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { EarnestError } from "../core/errors.ts";
import { lockFile } from "./file-lock.ts";

/** The file is damaged, or cannot be written. */
export class SessionFileError extends EarnestError {}

type Position = { offset: number; length: number };

/** Bytes of a file below which it is not compacted. */
const smallFile = 4 * 1024 * 1024;

/**
 * Values by key in an append-only file, one JSON line for each write. A killed process loses nothing that was written. A line
 * that the end of the machine cut is dropped, because its write was never confirmed. When most lines are old, the newest lines
 * move to a new file, so the size is bounded by what is kept.
 */
export class KeyedFile {
  readonly path: string;
  readonly #unlock: () => void;
  readonly #compactAbove: number;
  readonly #positions: Map<string, Position>;
  #handle: number;
  #size: number;
  #kept = 0;
  #waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  #isSyncing = false;
  #isClosed = false;
  #failure: SessionFileError | null = null;

  private constructor(
    path: string,
    unlock: () => void,
    compactAbove: number,
    opened: { handle: number; size: number; positions: Map<string, Position> },
  ) {
    this.path = path;
    this.#unlock = unlock;
    this.#compactAbove = compactAbove;
    this.#handle = opened.handle;
    this.#size = opened.size;
    this.#positions = opened.positions;
    for (const { length } of this.#positions.values()) this.#kept += length;
  }

  /** Opens the file, or creates it readable by its owner alone. @throws FileInUseError, SessionFileError */
  static async open(path: string, { compactAbove = smallFile } = {}): Promise<KeyedFile> {
    const absolute = resolve(path);
    mkdirSync(dirname(absolute), { recursive: true, mode: 0o700 });
    const unlock = await lockFile(absolute);
    try {
      return new KeyedFile(absolute, unlock, compactAbove, readAll(absolute));
    } catch (error) {
      unlock();
      throw error;
    }
  }

  /** Whether no write has failed for good. Otherwise the program has to open the file anew. */
  get isWritable(): boolean {
    return this.#failure === null;
  }

  /** Returns the keys that have a value. */
  keys(): string[] {
    return [...this.#positions.keys()];
  }

  has(key: string): boolean {
    return this.#positions.has(key);
  }

  /** Reads the value of a key from the file; undefined without one. */
  get(key: string): unknown {
    const position = this.#positions.get(key);
    if (!position) return undefined;
    const [, value] = JSON.parse(readAt(this.#handle, position).toString("utf8")) as [string, unknown];
    return value;
  }

  /** Writes a value, or with undefined removes it. The write survives the process, but perhaps not the machine. */
  put(key: string, value: unknown): void {
    if (this.#failure) throw this.#failure;
    const line = Buffer.from(`${JSON.stringify(value === undefined ? [key] : [key, value])}\n`);
    this.#append(line);
    const replaced = this.#positions.get(key);
    if (replaced) this.#kept -= replaced.length;
    if (value === undefined) this.#positions.delete(key);
    else {
      this.#positions.set(key, { offset: this.#size - line.length, length: line.length });
      this.#kept += line.length;
    }
    if (!this.#isSyncing) this.#compact();
  }

  /** Writes a value and waits for the disk. Writes that wait together cost one wait. */
  async putDurably(key: string, value: unknown): Promise<void> {
    this.put(key, value);
    await this.#sync();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#failure = new SessionFileError(`${this.path} is closed.`);
    closeSync(this.#handle);
    this.#unlock();
  }

  #append(line: Buffer): void {
    // A second writer, which the lock cannot see from another container, must not be overwritten.
    if (fstatSync(this.#handle).size !== this.#size) {
      this.#failure = new SessionFileError(`${this.path} was changed by another process.`);
      throw this.#failure;
    }
    let written = 0;
    try {
      while (written < line.length) {
        written += writeSync(this.#handle, line, written, line.length - written, this.#size + written);
      }
    } catch (cause) {
      ftruncateSync(this.#handle, this.#size);
      throw new SessionFileError(`${this.path} cannot be written: ${(cause as Error).message}.`, { cause });
    }
    this.#size += line.length;
  }

  #sync(): Promise<void> {
    const done = new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    if (!this.#isSyncing) this.#syncOnce();
    return done;
  }

  #syncOnce(): void {
    const together = this.#waiting.splice(0);
    this.#isSyncing = true;
    fdatasync(this.#handle, (cause) => {
      this.#isSyncing = false;
      if (cause) {
        // After a failure the disk may lack any of the lines, so nothing is written any more.
        this.#failure ??= new SessionFileError(`${this.path} did not reach the disk: ${cause.message}.`, {
          cause,
        });
        for (const { reject } of [...together, ...this.#waiting.splice(0)]) reject(this.#failure);
        return;
      }
      for (const { resolve } of together) resolve();
      if (this.#waiting.length > 0) this.#syncOnce();
      else if (!this.#failure) this.#compact();
    });
  }

  /** Moves the newest lines to a new file once the old ones are most of it. */
  #compact(): void {
    if (this.#size < this.#compactAbove || this.#size < 3 * this.#kept) return;
    const path = `${this.path}.new`;
    const next = openFile(path, constants.O_TRUNC);
    const positions = new Map<string, Position>();
    let size = 0;
    try {
      for (const [key, position] of this.#positions) {
        const line = readAt(this.#handle, position);
        writeWhole(next, line);
        positions.set(key, { offset: size, length: line.length });
        size += line.length;
      }
      fsyncSync(next);
      renameSync(path, this.path);
    } catch {
      // A full disk, for example. The old file stays as it is.
      closeSync(next);
      return;
    }
    syncFolder(dirname(this.path));
    closeSync(this.#handle);
    this.#handle = next;
    this.#size = size;
    this.#positions.clear();
    for (const [key, position] of positions) this.#positions.set(key, position);
  }
}

function openFile(path: string, flags: number): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT | flags, 0o600);
}

function readAll(path: string): { handle: number; size: number; positions: Map<string, Position> } {
  const handle = openFile(path, 0);
  try {
    const { size } = fstatSync(handle);
    const positions = new Map<string, Position>();
    let offset = 0;
    for (const line of linesOf(handle, size)) {
      // The end of the machine can leave a block of zeros before a later line. Neither write was confirmed.
      if (line.isWhole && line.text.includes("\0")) {
        offset = line.end;
        continue;
      }
      const entry = line.isWhole ? parseLine(line.text) : null;
      if (!entry) {
        if (line.end < size) {
          const message = `${path} is damaged at byte ${offset}. Restore the file from a copy.`;
          throw new SessionFileError(message);
        }
        break;
      }
      const [key, value] = entry;
      if (value === undefined) positions.delete(key);
      else positions.set(key, { offset, length: line.end - offset });
      offset = line.end;
    }
    if (offset < size) ftruncateSync(handle, offset);
    return { handle, size: offset, positions };
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

function* linesOf(handle: number, size: number): Generator<{ text: string; end: number; isWhole: boolean }> {
  const chunk = Buffer.alloc(256 * 1024);
  let rest: Buffer = Buffer.alloc(0);
  let start = 0;
  for (let offset = 0; offset < size; ) {
    const read = readSync(handle, chunk, 0, chunk.length, offset);
    if (read === 0) break;
    offset += read;
    rest = Buffer.concat([rest, chunk.subarray(0, read)]);
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      start += at + 1;
      yield { text: rest.toString("utf8", 0, at), end: start, isWhole: true };
      rest = rest.subarray(at + 1);
    }
  }
  if (rest.length > 0) yield { text: "", end: size, isWhole: false };
}

function parseLine(text: string): [string, unknown?] | null {
  try {
    const entry: unknown = JSON.parse(text);
    return Array.isArray(entry) && typeof entry[0] === "string" ? [entry[0], entry[1]] : null;
  } catch {
    return null;
  }
}

function readAt(handle: number, { offset, length }: Position): Buffer {
  const line = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const more = readSync(handle, line, read, length - read, offset + read);
    if (more === 0) throw new SessionFileError("The session file is shorter than it was.");
    read += more;
  }
  return line;
}

function writeWhole(handle: number, line: Buffer): void {
  for (let written = 0; written < line.length; ) written += writeSync(handle, line, written);
}

/** Writes a folder's entries to the disk. Windows has no such call. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, constants.O_RDONLY);
  fsyncSync(handle);
  closeSync(handle);
}
