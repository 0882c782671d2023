import type { Readable } from "node:stream";
import type { DataStore } from "@tus/server";

/** The first and the last byte of a part of a file. */
export type ByteRange = { start: number; end: number };

/** The place of the bytes of all files, each under its id. */
export type FileStore = {
  /** takes the bytes of uploads */
  uploads: DataStore;
  /** whether the bytes of an upload that is not complete can be read */
  readsUploads: boolean;
  read(id: string, range: ByteRange): Promise<Readable>;
  /** Removes a file or an upload. An id without bytes is no error. */
  remove(id: string): Promise<void>;
  /** Signs the URL of a download from the store itself; null if the store gives none. */
  sign(id: string, download: { disposition: string; seconds: number }): Promise<string | null>;
};
