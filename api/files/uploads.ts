import type { Readable } from "node:stream";
import type { DataStore, Locker, Server, Upload } from "@tus/server";
import type { Context as HonoContext } from "hono";
import { uploadsPath } from "../../protocol/settlement/vocabulary.ts";
import { type FileRow, refuseUnknownFile } from "../../trade/files/file-access.ts";
import { createFile } from "../../trade/files/file-quota.ts";
import { deleteFile } from "../../trade/files/file-removal.ts";
import { type OpenStore, refuseStoreUnavailable } from "../../trade/files/open-store.ts";
import type { FileStore } from "../../trade/files/store/file-store.ts";
import { completeUpload, findFile, writeBytes } from "../../trade/files/upload.ts";
import { leaseUpload } from "../../trade/files/upload-lease.ts";
import { CodedError } from "../../trade/refusal.ts";
import type { Context } from "../context.ts";
import { callerOf, requireAccess } from "../http/access.ts";
import { ApiError, type ErrorCode, parseAs, refuseHeader } from "../http/api-error.ts";
import { originOf } from "../http/client-address.ts";
import { bytes32Field } from "../http/fields.ts";
import { createRequestSlots, requireSlot } from "../http/request-slots.ts";
import type { App, Variables } from "../variables.ts";
import { presentFile } from "./file.ts";
import { fileNameField } from "./files.ts";

type RequestContext = HonoContext<{ Variables: Variables }>;

/** The error codes for the statuses by which tus refuses a request. */
const codes: Record<number, ErrorCode> = {
  400: "invalid_request",
  403: "invalid_request",
  404: "file_not_found",
  409: "conflict",
  410: "file_not_found",
  412: "precondition_failed",
  413: "payload_too_large",
  415: "unsupported_media_type",
};

/** Seconds after which a request without a free slot may try again. */
const slotRetrySeconds = 5;

/**
 * Adds the routes of the tus protocol 1.0, with the extensions creation, creation-with-upload, expiration and termination.
 * They need a token with the scope `orders:write`.
 */
export function addUploads(root: App, context: Context, openStore: OpenStore): void {
  const { db, config } = context;
  const slots = createRequestSlots(db, config.files.uploads);
  const guard = requireAccess(context, "orders:write");
  let tus: Promise<Tus> | undefined;
  const start = () => {
    tus ??= openStore().then((store) => createTus(context, store));
    return tus;
  };

  root.options(uploadsPath, (c) => describe(c));
  root.options(`${uploadsPath}/:id`, (c) => describe(c));

  root.post(uploadsPath, guard, async (c) => {
    const { server, metadata, files } = await start();
    const request = c.req.raw;
    const size = c.req.header("upload-length") ?? "";
    if (!/^[1-9]\d{0,15}$/.test(size))
      throw refuseHeader("Upload-Length", "must be the bytes of the file, at least 1");
    requireVersion(c);
    const named = metadata(c.req.header("upload-metadata"));
    const name = parseAs(
      fileNameField,
      named.filename ?? named.name,
      "Header Upload-Metadata: give a valid `filename`.",
    );
    const sha256 =
      named.sha256 && parseAs(bytes32Field, named.sha256, "Header Upload-Metadata: give a valid `sha256`.");
    return inSlot(c, async () => {
      const named = { name, size: Number(size), sha256: sha256 || null };
      const row = await createFile(context, callerOf(c), named);
      files.set(request, row);
      return serve(c, server, request, row);
    });
  });

  root.on(["GET", "PATCH", "DELETE"], `${uploadsPath}/:id`, guard, async (c) => {
    const row = await findFile(db, c.req.param("id"));
    if (row?.accountId !== callerOf(c).accountId) throw refuseUnknownFile(c.req.param("id"));
    requireVersion(c);
    if (c.req.method === "DELETE") {
      await deleteFile(db, await openStore(), callerOf(c), row.id);
      return c.body(null, 204, { "Tus-Resumable": version });
    }
    if (row.completedAt) return answerComplete(c, row);
    const { server, files } = await start();
    // A program that cannot send HEAD asks by GET, which is answered alike.
    const asks = { method: "HEAD", headers: c.req.raw.headers };
    const request = c.req.method === "PATCH" ? c.req.raw : new Request(c.req.url, asks);
    files.set(request, row);
    return inSlot(c, () => serve(c, server, request, row));
  });

  function describe(c: RequestContext): Response {
    return c.body(null, 204, {
      "Tus-Resumable": version,
      "Tus-Version": version,
      "Tus-Extension": "creation,creation-with-upload,expiration,termination",
      "Tus-Max-Size": String(config.files.largest),
    });
  }

  /** Lets tus handle a request, and completes the file when its last byte is stored. */
  async function serve(c: RequestContext, server: Server, request: Request, row: FileRow): Promise<Response> {
    c.header("Tus-Resumable", version);
    const { errors } = await start();
    const response = await server.handleWeb(request as Parameters<Server["handleWeb"]>[0]);
    if (response.status >= 400) throw await readRefusal(response, errors.get(request));
    const headers = Object.fromEntries(response.headers);
    // The middleware of the app sets these for every path.
    for (const name of Object.keys(headers)) if (name.startsWith("access-control-")) delete headers[name];
    if (Number(response.headers.get("upload-offset")) !== row.size) {
      if (c.req.method !== "POST") return c.body(null, response.status as 200, headers);
      const shown = presentFile(context, row);
      return c.json(shown, 201, { ...headers, Location: shown.upload_url ?? "" });
    }
    const complete = await completeUpload(
      { db, unusedSeconds: config.files.unusedSeconds },
      await openStore(),
      row.id,
    );
    if (c.req.method !== "POST") return c.body(null, response.status as 200, headers);
    return c.json(presentFile(context, complete), 201, {
      ...headers,
      Location: `${config.publicUrl}${uploadsPath}/${row.id}`,
    });
  }

  /** Limits the requests that send bytes at once, because a slow sender holds one. */
  async function inSlot(c: RequestContext, work: () => Promise<Response>): Promise<Response> {
    const { accountId } = callerOf(c);
    const message = "Too many requests send bytes of files at once. Send fewer at a time.";
    const slot = requireSlot(await slots.enter({ accountId, ...originOf(c) }), message, slotRetrySeconds);
    try {
      return await work();
    } catch (error) {
      // The rest of the body is not read.
      c.header("Connection", "close");
      throw error;
    } finally {
      slot.leave();
    }
  }

  async function readRefusal(response: Response, error: unknown): Promise<Error> {
    if (error instanceof CodedError) return error;
    const text = (await response.text()).trim();
    const code = codes[response.status];
    if (code) return new ApiError(code, `The upload is refused: ${text}.`);
    context.log.warn({ err: error }, "the store of files failed");
    return refuseStoreUnavailable();
  }
}

const version = "1.0.0";

function requireVersion(c: RequestContext): void {
  c.header("Tus-Resumable", version);
  if (c.req.header("tus-resumable") === version) return;
  throw new ApiError("precondition_failed", `Header Tus-Resumable: send ${version}.`);
}

/** The answer about an upload that is complete: all bytes are there, and none may follow. */
function answerComplete(c: RequestContext, { size }: FileRow): Response {
  if (c.req.method === "PATCH") throw new ApiError("conflict", "The upload is complete. Send no more bytes.");
  const headers = {
    "Upload-Offset": String(size),
    "Upload-Length": String(size),
    "Cache-Control": "no-store",
  };
  return c.body(null, 200, headers);
}

type Tus = {
  server: Server;
  /** the row of the file that a request is about */
  files: WeakMap<object, FileRow>;
  /** the error by which tus refused a request */
  errors: WeakMap<object, unknown>;
  /** parses the header Upload-Metadata */
  metadata: (header: string | undefined) => Record<string, string | null>;
};

/** Makes the server of the tus protocol over a store. Its packages are loaded with the first upload. */
async function createTus({ db, config, log }: Context, store: FileStore): Promise<Tus> {
  const { DataStore, Metadata, Server, Upload } = await import("@tus/server");
  const files = new WeakMap<object, FileRow>();
  const errors = new WeakMap<object, unknown>();
  /** the writes that go on, by the upload */
  const writing = new Map<string, Promise<unknown>>();

  const requireRow = async (id: string): Promise<FileRow> => {
    const row = await findFile(db, id);
    if (!row) throw refuseUnknownFile(id);
    return row;
  };
  const counted = Object.assign(new DataStore(), {
    extensions: ["creation", "creation-with-upload", "expiration"],
    // The store gets no metadata of the uploader, of which a bucket would make headers of the object.
    create: ({ id, size }: Upload) => store.uploads.create(new Upload({ id, size: size ?? 0, offset: 0 })),
    write(bytes: Readable, id: string, offset: number) {
      const written = requireRow(id).then((row) => writeBytes(db, store, row, bytes, offset));
      writing.set(id, written);
      return written;
    },
    async getUpload(id: string) {
      const { size, createdAt, hashed } = await requireRow(id);
      const empty = new Upload({ id, size, offset: 0 });
      // An upload without bytes may have none in the store yet.
      const found = await store.uploads.getUpload(id).catch((error: unknown) => {
        const status = (error as { status_code?: number }).status_code;
        if (hashed > 0 || (status !== 404 && status !== 410)) throw error;
        return store.uploads.create(empty);
      });
      return new Upload({ id, size, offset: found.offset, creation_date: createdAt.toISOString() });
    },
    getExpiration: () => config.files.unusedSeconds * 1000,
  }) satisfies DataStore;

  const locker: Locker = {
    newLock(id) {
      let end: (() => Promise<void>) | undefined;
      return {
        async lock(_signal, requestRelease) {
          end = await leaseUpload(db, id, () => void requestRelease());
        },
        async unlock() {
          // After a broken connection tus unlocks at once, while the store still keeps what arrived.
          await Promise.allSettled([writing.get(id)]);
          writing.delete(id);
          await end?.().catch((error) =>
            log.warn({ err: error, file: id }, "the lease of an upload ends later"),
          );
        },
      };
    },
  };
  const server = new Server({
    path: uploadsPath,
    datastore: counted,
    locker,
    maxSize: config.files.largest,
    namingFunction: (request) => files.get(request)?.id ?? "",
    onResponseError: (request, error) => {
      errors.set(request, error);
      return undefined;
    },
  });
  const metadata = (header: string | undefined) => {
    try {
      return header ? Metadata.parse(header) : {};
    } catch {
      throw refuseHeader("Upload-Metadata", "must be pairs of a name and a base64 value, by tus 1.0");
    }
  };
  return { server, files, errors, metadata };
}
