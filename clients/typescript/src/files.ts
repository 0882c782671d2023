import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { RequestOptions } from "./core/call.ts";
import { ApiError, ConnectionError, EarnestError } from "./core/errors.ts";
import { isTemporary, pause, waitAfter } from "./core/retry.ts";
import { readRetryAfter } from "./core/retry-after.ts";
import { FilesResource } from "./generated/resources/files.ts";
import type { FileReference, StoredFile } from "./generated/types.ts";

/** The bytes of a request of an upload, unless given, and the consecutive failures after which an upload ends. */
const usualChunk = 8 * 1024 * 1024;
const mostFailures = 8;
const firstWaitMs = 500;
/** The longest wait before a busy service is asked for a download again. Its link works for minutes. */
const longestWaitMs = 60_000;

/** The bytes that were sent or read, of all. */
export interface FileProgress {
  fileId: string;
  bytes: number;
  size: number;
}

/** The bytes of a file that are read as they are sent, such as of a file handle of Node. */
export interface FileSource {
  name?: string;
  size: number;
  /** Reads the bytes from `start` to `end`, without `end`. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

export interface UploadOptions
  extends Pick<RequestOptions, "idempotencyKey" | "signal" | "organisation" | "headers"> {
  /** The name that others see. Default: the name of the source. */
  name?: string;
  /** Continues this upload, as after a restart of the program. The source must be the same. */
  fileId?: string;
  /** The bytes of a request. Default: 8 MiB; at most 64 MiB. */
  chunkBytes?: number;
  /** Called before the first request that sends bytes, with the id to store for `fileId`, and after each. */
  onProgress?(progress: FileProgress): void;
}

export interface DownloadOptions extends Pick<RequestOptions, "signal" | "organisation" | "headers"> {
  /** Takes the bytes as they come. It is closed at the end, and aborted if the hash differs. Default: a Blob. */
  into?: WritableStream<Uint8Array>;
  onProgress?(progress: FileProgress): void;
}

/** The bytes of a file differ from the hash or the size that its reference names. Do not use them. */
export class FileMismatchError extends EarnestError {}

/** The files of the account, with uploads that resume and downloads whose hash is checked. */
export class Files extends FilesResource {
  /**
   * Uploads a file, and continues after broken connections. The hash of the sent bytes is compared with the service's.
   *
   * @param source a Blob, as of a file input; bytes; or a `FileSource`. Use a `FileSource` for files of 4 GiB or more in Node,
   *   whose `openAsBlob` counts their size in 32 bits
   * @returns the file. Its `reference` goes into payloads, messages and statements.
   * @throws FileMismatchError if the service stored other bytes; ApiError; ConnectionError after eight failures in a row
   * @example
   * const { reference } = await earnest.files.upload(await openAsBlob("page-3.png"), { name: "page-3.png" });
   */
  async upload(
    source: Blob | Uint8Array<ArrayBuffer> | FileSource,
    options: UploadOptions = {},
  ): Promise<StoredFile> {
    const { fileId, chunkBytes = usualChunk, onProgress, name: given, ...request } = options;
    const { size, read, name = "file" } = sourceOf(source);
    const file = fileId
      ? await this.get(fileId, request)
      : await this.create({ name: given ?? name, size }, request);
    if (file.size !== size) {
      throw new FileMismatchError(`The upload ${file.id} has ${file.size} bytes, and the source ${size}.`);
    }
    const hash = sha256.create();
    let hashed = 0;
    const hashUntil = async (end: number) => {
      while (hashed < end) {
        const part = await read(hashed, Math.min(end, hashed + chunkBytes));
        if (part.length === 0) throw endedAt(file.id, hashed);
        hash.update(part);
        hashed += part.length;
      }
    };
    let offset = file.status === "uploading" ? await this.#offsetOf(file.id, request) : file.size;
    onProgress?.({ fileId: file.id, bytes: offset, size: file.size });
    while (offset < file.size) {
      await hashUntil(offset);
      const part = await read(offset, Math.min(file.size, offset + chunkBytes));
      if (part.length === 0) throw endedAt(file.id, offset);
      const next = await this.#sendFrom(file.id, offset, part, request);
      if (next === offset + part.length && hashed === offset) {
        hash.update(part);
        hashed = next;
      }
      offset = next;
      onProgress?.({ fileId: file.id, bytes: offset, size: file.size });
    }
    await hashUntil(file.size);
    const complete = await this.get(file.id, request);
    const own = `0x${bytesToHex(hash.digest())}`;
    if (complete.sha256 === own) return complete;
    throw new FileMismatchError(
      `The service stored ${complete.id} with ${complete.sha256}, but the source has ${own}.`,
    );
  }

  /**
   * Downloads a file, and compares its size and hash with the reference. A payload's own reference is the safe one, because the
   * order commits to it.
   *
   * @throws FileMismatchError for other bytes, which must not be used; ApiError; ConnectionError
   */
  async download(reference: FileReference, options: DownloadOptions = {}): Promise<Blob | null> {
    const { into, onProgress, ...request } = options;
    const { file_id: fileId, size, sha256: expected } = reference;
    const { url } = await this.createLink(fileId, request);
    const response = await this.#fetch(url, request.signal);
    const writer = into?.getWriter();
    const parts: Uint8Array<ArrayBuffer>[] = [];
    const hash = sha256.create();
    let bytes = 0;
    try {
      for await (const part of chunksOf(response)) {
        bytes += part.length;
        if (bytes > size) break;
        hash.update(part);
        if (writer) await writer.write(part);
        else parts.push(part);
        onProgress?.({ fileId, bytes, size });
      }
      const found = `0x${bytesToHex(hash.digest())}`;
      if (bytes !== size || found !== expected) {
        throw new FileMismatchError(`The bytes of ${fileId} are not those of the reference ${expected}.`);
      }
    } catch (error) {
      await writer?.abort(error).catch(() => {});
      throw error;
    }
    await writer?.close();
    return writer ? null : new Blob(parts);
  }

  /** Sends a part, and returns the offset after it, or the one to continue from after a temporary error. */
  async #sendFrom(
    id: string,
    offset: number,
    part: Uint8Array<ArrayBuffer>,
    request: RequestOptions,
  ): Promise<number> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.transport.sendPart({ path: pathOf(id), offset, part }, request);
      } catch (error) {
        if (!mayResume(error) || failures >= mostFailures) throw error;
        await pause(waitAfter(error, failures, firstWaitMs), request.signal);
      }
      const stored = await this.#offsetOf(id, request).catch((error: unknown) => {
        if (mayResume(error)) return offset;
        throw error;
      });
      if (stored !== offset) return stored;
    }
  }

  async #offsetOf(id: string, request: RequestOptions): Promise<number> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.transport.readOffset(pathOf(id), request);
      } catch (error) {
        if (!mayResume(error) || failures >= mostFailures) throw error;
        await pause(waitAfter(error, failures, firstWaitMs), request.signal);
      }
    }
  }

  /** Requests a link, which carries its own right: no token is sent. A service with too many downloads is asked again. */
  async #fetch(url: string, signal: AbortSignal | undefined): Promise<Response> {
    const send = this.transport.options.fetch ?? fetch;
    for (let failures = 1; ; failures += 1) {
      const response = await send(url, { redirect: "error", ...(signal ? { signal } : {}) }).catch(
        (cause: unknown) => {
          signal?.throwIfAborted();
          throw new ConnectionError("The download did not begin.", {
            idempotencyKey: null,
            attempts: failures,
            cause,
          });
        },
      );
      if (response.status === 200) return response;
      await response.body?.cancel();
      const isBusy = response.status === 429 || response.status === 503;
      if (!isBusy || failures >= mostFailures) {
        throw new EarnestError(
          `The download was answered with the status ${response.status}. Make a new link.`,
        );
      }
      const asked = (readRetryAfter(response.headers.get("retry-after")) ?? 0) * 1000;
      await pause(Math.max(firstWaitMs, Math.min(asked, longestWaitMs)), signal);
    }
  }
}

const pathOf = (id: string) => `/uploads/${encodeURIComponent(id)}`;

/** Whether an upload continues after an error: a temporary one, another request's lease, or an offset that has moved. */
function mayResume(error: unknown): error is ApiError | ConnectionError {
  return isTemporary(error) || (error instanceof ApiError && (error.status === 423 || error.status === 409));
}

function sourceOf(source: Blob | Uint8Array<ArrayBuffer> | FileSource): FileSource {
  const given = source instanceof Uint8Array ? new Blob([source]) : source;
  const { name } = given as Partial<File>;
  return {
    ...(name === undefined ? {} : { name }),
    size: given.size,
    read: async (start, end) =>
      "read" in given
        ? await given.read(start, end)
        : new Uint8Array(await given.slice(start, end).arrayBuffer()),
  };
}

const endedAt = (id: string, offset: number) =>
  new FileMismatchError(`The source of the upload ${id} ended at byte ${offset}.`);

async function* chunksOf(response: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true as const, value: undefined };
    if (done) return;
    yield value;
  }
}
