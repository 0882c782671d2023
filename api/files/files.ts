import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, isNull } from "../../db/drizzle.ts";
import { file } from "../../db/schema.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { readableFile } from "../../trade/files/file-access.ts";
import { createFile } from "../../trade/files/file-quota.ts";
import { deleteFile } from "../../trade/files/file-removal.ts";
import type { OpenStore } from "../../trade/files/open-store.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { bytes32Field, idField, textField } from "../http/fields.ts";
import { pageQuery, pageSchema, readNewest } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { fileParams, presentFile, storedFileSchema } from "./file.ts";
import { type Downloads, linkSchema } from "./file-link.ts";

/** A name is a label: no program may read a path from it. */
export const fileNameField = textField(longest.fileName)
  .regex(/^(?!\.+$)[^/\\]+$/, "must be a name without a path")
  .openapi({ example: "page-3.png" });

const newFileRequest = z
  .strictObject({
    name: fileNameField,
    size: z
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .openapi({ description: "the bytes of the whole file", example: 48_213 }),
    sha256: bytes32Field.optional().openapi({
      description: "the SHA-256 that the bytes must have; computed from the bytes if you omit it",
      example: `0x${"5e".repeat(32)}`,
    }),
  })
  .openapi("NewFileRequest");

const filePage = pageSchema(storedFileSchema).openapi("StoredFilePage");

/** Adds the routes of an account's files. */
export function addFileRoutes(app: App, context: Context, openStore: OpenStore, downloads: Downloads): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/files",
      operationId: "createFile",
      tags: ["files"],
      summary: "Begin the upload of a file",
      description:
        "Send the bytes to `upload_url` by the tus protocol 1.0, in requests of at most 64 MiB. A broken upload resumes where it stopped. The file counts against your quota from now on.",
      ...accessRule(context, "orders:write"),
      request: { body: jsonBody(newFileRequest) },
      responses: {
        201: jsonResponse("The file", storedFileSchema),
        ...errorResponses("file_quota_exceeded"),
      },
    }),
    async (c) => {
      const { name, size, sha256 = null } = c.req.valid("json");
      const row = await createFile(context, callerOf(c), { name, size, sha256 });
      return c.json(presentFile(context, row), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/files",
      operationId: "listFiles",
      tags: ["files"],
      summary: "List your files, newest first",
      ...accessRule(context, "orders:read"),
      request: { query: pageQuery },
      responses: { 200: jsonResponse("A page of files", filePage) },
    }),
    async (c) => {
      const own = and(eq(file.accountId, callerOf(c).accountId), isNull(file.removedAt));
      return c.json(
        await readNewest(db, file, own, c.req.valid("query"), (row) => presentFile(context, row)),
        200,
      );
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/files/{id}",
      operationId: "readFile",
      tags: ["files"],
      summary: "Read a file's name, size, hash and type",
      description:
        "For its uploader, the parties of an order that names the file, and the arbiter of such an order's dispute.",
      ...accessRule(context, "orders:read"),
      request: { params: fileParams },
      responses: { 200: jsonResponse("The file", storedFileSchema), ...errorResponses("file_not_found") },
    }),
    async (c) =>
      c.json(presentFile(context, await readableFile(db, callerOf(c), c.req.valid("param").id)), 200),
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/files/{id}",
      operationId: "deleteFile",
      tags: ["files"],
      summary: "Delete an unused file, or an upload",
      ...accessRule(context, "orders:write"),
      request: { params: fileParams },
      responses: {
        200: jsonResponse(
          "The id of the deleted file",
          z.object({ id: idField("fil") }).openapi("DeletedFile"),
        ),
        ...errorResponses("file_not_found", "conflict"),
      },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      await deleteFile(db, await openStore(), callerOf(c), id);
      return c.json({ id }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/files/{id}/link",
      operationId: "createFileLink",
      tags: ["files"],
      summary: "Make a short-lived link to a file's bytes",
      description:
        "The link needs no token and works for a few minutes. The browser saves the file and never shows it.",
      ...accessRule(context, "orders:read"),
      request: { params: fileParams },
      responses: {
        201: jsonResponse("The link", linkSchema),
        ...errorResponses("file_not_found", "file_erased", "invalid_state"),
      },
    }),
    async (c) => {
      const link = await downloads.link(callerOf(c), c.req.valid("param").id);
      return c.json({ url: link.url, expires_at: link.expiresAt.toISOString() }, 201);
    },
  );
}
