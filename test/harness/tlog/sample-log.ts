import { signCheckpoint } from "../../../protocol/tlog/checkpoint.ts";
import type { FetchBytes } from "../../../protocol/tlog/fetch.ts";
import { growTree } from "../../../protocol/tlog/growth.ts";
import { emptyRoot, hashLeaf } from "../../../protocol/tlog/merkle.ts";
import { formatVerifierKey, keyTypes } from "../../../protocol/tlog/note.ts";
import { createSigner } from "../../../protocol/tlog/note-signer.ts";
import { encodeEntries, entriesPath, tilePath, tileWidth } from "../../../protocol/tlog/tiles.ts";

const createLogSigner = (origin: string) =>
  createSigner(origin, keyTypes.ed25519, new Uint8Array(32).fill(1));
const sampleOrigin = "log.example/log";
export const sampleVkey = formatVerifierKey(createLogSigner(sampleOrigin).key);

/** A log in memory, with every file it ever served, by path. */
export function createSampleLog(origin = sampleOrigin) {
  const signer = createLogSigner(origin);
  const served = new Map<string, Uint8Array>();
  const entries: Uint8Array[] = [];
  let root = emptyRoot;
  return {
    served,
    vkey: formatVerifierKey(signer.key),
    /** Appends entries, and signs the checkpoint of the grown tree. */
    append(added: readonly Uint8Array[]): string {
      const grown = growTree(
        entries.length,
        added.map(hashLeaf),
        (tile) => served.get(tilePath(tile)) ?? new Uint8Array(),
      );
      const first = Math.floor(entries.length / tileWidth);
      entries.push(...added);
      root = grown.root;
      for (const tile of grown.tiles) served.set(tilePath(tile), tile.bytes);
      for (let index = first; index * tileWidth < entries.length; index++) {
        const bundle = entries.slice(index * tileWidth, (index + 1) * tileWidth);
        served.set(entriesPath({ index, width: bundle.length }), encodeEntries(bundle));
      }
      return this.sign();
    },
    sign: () => signCheckpoint({ size: entries.length, root }, signer),
    tree: () => ({ size: entries.length, root }),
  };
}

/** Reads a log's files, or replacements of them. */
export function fetchOf(served: ReadonlyMap<string, Uint8Array>): FetchBytes {
  return async (path, maxBytes) => {
    const bytes = served.get(path);
    if (!bytes) throw new Error(`no ${path}`);
    if (bytes.length > maxBytes) throw new Error("too large");
    return bytes;
  };
}

/** Returns the entries of a history in a range of numbers; each number has the same entry. */
export function sampleEntries(from: number, to: number, story = ""): Uint8Array[] {
  return Array.from({ length: to - from }, (_, i) => new TextEncoder().encode(`${story}${from + i}`));
}
