import { z } from "@hono/zod-openapi";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { mostAttachedFiles } from "../../protocol/settlement/vocabulary.ts";
import { bytes32Field, idField } from "../http/fields.ts";

/** A reference to a file, in payloads, messages and statements. */
export const fileReferenceSchema = z
  .strictObject({
    file_id: idField("fil"),
    sha256: bytes32Field.openapi({
      description: "the SHA-256 of the file's bytes",
      example: `0x${"5e".repeat(32)}`,
    }),
    size: z
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .openapi({ description: "the bytes of the file", example: 48_213 }),
    name: z.string().min(1).max(longest.fileName).openapi({ example: "page-3.png" }),
  })
  .openapi("FileReference", {
    description: "a file of `POST /files`, with the hash that the order commits to",
  });

/** The files of a message or a statement. */
export const attachedFilesField = z.array(fileReferenceSchema).max(mostAttachedFiles);
