import { z } from "@hono/zod-openapi";
import { uploadsPath } from "../../protocol/settlement/vocabulary.ts";
import type { FileRow } from "../../trade/files/file-access.ts";
import type { Context } from "../context.ts";
import { idField, orNull, shownHash, shownUrl, timeField } from "../http/fields.ts";
import { fileReferenceSchema } from "./file-reference.ts";

export const fileParams = z.object({ id: idField("fil") });

export const storedFileSchema = z
  .object({
    id: idField("fil"),
    name: z.string().openapi({ example: "page-3.png" }),
    size: z.int().openapi({ description: "the bytes of the whole file", example: 48_213 }),
    sha256: shownHash.nullable().openapi({ description: "null until the upload is complete" }),
    type: z.string().nullable().openapi({
      description: "the media type by the content; null until the upload is complete",
      example: "image/png",
    }),
    status: z.enum(["uploading", "ready", "withheld", "erased"]).openapi("FileStatus", {
      description:
        "`withheld`: only its uploader sees it; `erased`: its bytes are gone, and its name, size and hash stay",
    }),
    upload_url: shownUrl.nullable().openapi({
      description: "takes the bytes by the tus protocol, with your token; null when the upload is complete",
    }),
    reference: orNull(fileReferenceSchema).openapi({
      description: "the object that payloads, messages and statements have; null unless the file is ready",
    }),
    is_used: z
      .boolean()
      .openapi({ description: "whether an order names the file, which then cannot be deleted" }),
    created_at: timeField,
    completed_at: timeField.nullable(),
    expires_at: timeField.nullable().openapi({
      description: "when an unused file, or an upload that does not end, is removed; null for a used file",
    }),
  })
  .openapi("StoredFile");

/** Presents a file as the API answers it. */
export function presentFile(
  { config }: Pick<Context, "config">,
  row: FileRow,
): z.output<typeof storedFileSchema> {
  const status = statusOf(row);
  const { id, name, size, sha256 } = row;
  return {
    id,
    name,
    size,
    sha256,
    type: row.type,
    status,
    upload_url: status === "uploading" ? `${config.publicUrl}${uploadsPath}/${id}` : null,
    reference: status === "ready" && sha256 ? { file_id: id, sha256, size, name } : null,
    is_used: row.uses > 0,
    created_at: row.createdAt.toISOString(),
    completed_at: row.completedAt?.toISOString() ?? null,
    expires_at: row.uses > 0 ? null : row.dueAt.toISOString(),
  };
}

function statusOf({ erasedAt, withheldAt, completedAt }: FileRow) {
  if (erasedAt) return "erased" as const;
  if (withheldAt) return "withheld" as const;
  return completedAt ? ("ready" as const) : ("uploading" as const);
}
