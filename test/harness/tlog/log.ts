import { randomBytes } from "node:crypto";
import { base64 } from "@scure/base";
import { signCheckpoint } from "../../../protocol/tlog/checkpoint.ts";
import { encodeEntry, keyEntry, type LogEntry } from "../../../protocol/tlog/entry.ts";
import { consistencyProof, type Hash, hashLeaf, rootOf } from "../../../protocol/tlog/merkle.ts";
import { formatVerifierKey, keyTypes, type NoteSigner } from "../../../protocol/tlog/note.ts";
import { createSigner } from "../../../protocol/tlog/note-signer.ts";
import {
  encodeEntries,
  joinTile,
  parseTilePath,
  type Tile,
  tileWidth,
} from "../../../protocol/tlog/tiles.ts";

/** A log in memory, with its key. A test controls what it signs and serves. */
export class TestLog {
  readonly signer: NoteSigner;
  entries: Uint8Array[];
  private leaves: Hash[] = [];

  constructor(origin: string, options: { signer?: NoteSigner; entries?: readonly Uint8Array[] } = {}) {
    this.signer = options.signer ?? createSigner(origin, keyTypes.ed25519, randomBytes(32));
    this.entries = [...(options.entries ?? [])];
  }

  get vkey(): string {
    return formatVerifierKey(this.signer.key);
  }
  get size(): number {
    return this.entries.length;
  }

  add(...entries: LogEntry[]): this {
    this.entries.push(...entries.map(encodeEntry));
    return this;
  }

  /** Adds this many distinct entries. */
  grow(count: number): this {
    for (let i = 0; i < count; i++) {
      this.add(keyEntry({ seq: this.size + 1, nonce: randomBytes(8).toString("hex") } as { seq: number }));
    }
    return this;
  }

  /** Another log of the same key, with only this many entries: a fork, or a restored backup. */
  keeping(size: number): TestLog {
    const { name } = this.signer.key;
    return new TestLog(name, { signer: this.signer, entries: this.entries.slice(0, size) });
  }

  checkpoint(size = this.size): string {
    return signCheckpoint({ size, root: rootOf(this.hashes(size)) }, this.signer);
  }

  /** Returns the body of `add-checkpoint` for a witness with this many entries. */
  cosignRequest(old: number, size = this.size): string {
    const proof = consistencyProof(this.hashes(size), Math.min(old, size)).map((hash) => base64.encode(hash));
    return [`old ${old}`, ...proof, "", this.checkpoint(size)].join("\n");
  }

  /** Returns the file at a path below `/log/`; null where none is. */
  serve(path: string, size = this.size): string | Uint8Array | null {
    if (path === "checkpoint") return this.checkpoint(size);
    if (path === "vkey") return this.vkey;
    const tile = parseTilePath(path);
    if (!tile) return null;
    const { level, index, width } = tile;
    const first = index * tileWidth;
    if (level === "entries") {
      const entries = this.entries.slice(first, first + width);
      return entries.length < width ? null : encodeEntries(entries);
    }
    const hashes = this.row({ level, index, width });
    return hashes.length < width ? null : joinTile(hashes);
  }

  private row({ level, index, width }: Tile): Hash[] {
    const span = tileWidth ** level;
    const begin = index * tileWidth;
    const end = Math.min(begin + width, Math.floor(this.size / span));
    return Array.from({ length: Math.max(0, end - begin) }, (_, i) =>
      rootOf(this.hashes().slice((begin + i) * span, (begin + i + 1) * span)),
    );
  }

  private hashes(size = this.size): Hash[] {
    this.leaves = this.leaves.slice(0, this.size);
    for (let i = this.leaves.length; i < this.size; i++)
      this.leaves.push(hashLeaf(this.entries[i] as Uint8Array));
    return this.leaves.slice(0, size);
  }
}
