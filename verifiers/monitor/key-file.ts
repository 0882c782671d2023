import { createHash } from "node:crypto";
import { closeSync, ftruncateSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";

const keyBytes = 16;
const slotBytes = 32;
const blockBytes = 4096;

/**
 * A map from 16-byte hashes to two numbers below 2^48. It is in a file, because the data of a large log does not fit
 * into memory. The file belongs to this process, which removes it.
 */
export class KeyFile {
  count = 0;
  private handle: number;
  private slots: number;
  private readonly path: string;

  constructor(path: string, slots = 1 << 12) {
    this.path = path;
    this.slots = slots;
    this.handle = create(path, slots);
  }

  get(key: Uint8Array): [number, number] | undefined {
    const slot = this.find(key);
    return slot.isTaken ? readValues(slot.bytes) : undefined;
  }

  set(key: Uint8Array, [first, second]: readonly [number, number]): void {
    if (this.count * 2 >= this.slots) this.grow();
    const { at, isTaken } = this.find(key);
    const bytes = Buffer.alloc(slotBytes);
    bytes.set(key.subarray(0, keyBytes));
    bytes.writeUIntBE(first, 16, 6);
    bytes.writeUIntBE(second, 22, 6);
    bytes[31] = 1;
    writeSync(this.handle, bytes, 0, slotBytes, at * slotBytes);
    if (!isTaken) this.count++;
  }

  /** Yields all entries, in no order. */
  *entries(): Generator<{ key: Uint8Array; values: [number, number] }> {
    const block = Buffer.alloc(blockBytes);
    for (let at = 0; at < this.slots * slotBytes; at += blockBytes) {
      readSync(this.handle, block, 0, blockBytes, at);
      for (let i = 0; i < blockBytes; i += slotBytes) {
        const bytes = block.subarray(i, i + slotBytes);
        if (bytes[31] === 1)
          yield { key: Uint8Array.from(bytes.subarray(0, keyBytes)), values: readValues(bytes) };
      }
    }
  }

  close(): void {
    closeSync(this.handle);
    rmSync(this.path, { force: true });
  }

  private find(key: Uint8Array): { at: number; isTaken: boolean; bytes: Buffer } {
    const bytes = Buffer.alloc(slotBytes);
    const start = Buffer.from(key).readUInt32BE(0) % this.slots;
    for (let at = start; ; at = (at + 1) % this.slots) {
      readSync(this.handle, bytes, 0, slotBytes, at * slotBytes);
      if (bytes[31] !== 1) return { at, isTaken: false, bytes };
      if (bytes.subarray(0, keyBytes).equals(key.subarray(0, keyBytes))) return { at, isTaken: true, bytes };
    }
  }

  private grow(): void {
    const wider = new KeyFile(`${this.path}+`, this.slots * 2);
    for (const { key, values } of this.entries()) wider.set(key, values);
    this.close();
    renameSync(wider.path, this.path);
    [this.handle, this.slots] = [wider.handle, wider.slots];
  }
}

function create(path: string, slots: number): number {
  const handle = openSync(path, "w+", 0o600);
  ftruncateSync(handle, slots * slotBytes);
  return handle;
}

function readValues(bytes: Buffer): [number, number] {
  return [bytes.readUIntBE(16, 6), bytes.readUIntBE(22, 6)];
}

/** Hashes a name to a key. */
export function nameKey(name: string): Uint8Array {
  return createHash("sha256").update(name).digest().subarray(0, keyBytes);
}
