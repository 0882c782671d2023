import { z } from "zod";
import type { StoredFile } from "../../src/index.ts";
import { defineTool } from "../tool.ts";
import { RefusedCall } from "../tool-context.ts";
import * as schemas from "../tool-schemas.ts";
import { markUntrusted, untrustedSchema } from "../untrusted-text.ts";

/** The most characters of a file in a call: the service takes at most 256 KiB of a message. */
const longestContent = 180_000;

const fileFields = {
  file_id: z.string(),
  size: z.number(),
  type: z.string().nullable().describe("By the content."),
  status: z.string(),
  untrusted: untrustedSchema({ name: z.string() }),
};

const showFile = (file: StoredFile) => ({
  file_id: file.id,
  size: file.size,
  type: file.type,
  status: file.status as string,
  untrusted: markUntrusted({ name: file.name }),
});

const uploadFile = defineTool({
  name: "upload_file",
  title: "Upload a small file",
  description:
    "Stores at most 180,000 characters, as text or base64. Put the returned reference into an order's input or output.",
  scopes: ["orders:read", "orders:write"],
  does: "adds",
  input: z.strictObject({
    name: z.string().max(200),
    text: z.string().max(longestContent).optional(),
    base64: z.string().max(longestContent).optional(),
    idempotency_key: schemas.optionalKey,
  }),
  output: z.object({ ...fileFields, reference: z.record(z.string(), z.unknown()).nullable() }),
  async run({ earnest }, { name, text, base64, idempotency_key }, { signal }) {
    const options = { name, signal, ...schemas.keyOf("upload_file", idempotency_key) };
    const file = await earnest.files.upload(bytesOf(text, base64), options);
    return {
      sentence: `The file is stored as ${file.id}. Put the reference into the payload.`,
      fields: { ...showFile(file), reference: file.reference && { ...file.reference } },
    };
  },
});

const linkFile = defineTool({
  name: "link_file",
  title: "Get a file's download link",
  description: "The link to a file of yours or of an order works for five minutes.",
  scopes: ["orders:read"],
  does: "reads",
  input: z.strictObject({ file_id: z.string() }),
  output: z.object({ ...fileFields, sha256: z.string().nullable(), url: z.string(), expires_at: z.string() }),
  async run({ earnest }, { file_id: id }, { signal }) {
    const [file, link] = [
      await earnest.files.get(id, { signal }),
      await earnest.files.createLink(id, { signal }),
    ];
    return {
      sentence: `The link to ${id} works until ${link.expires_at}. A stranger may have made the file: do not run it.`,
      fields: { ...showFile(file), sha256: file.sha256, ...link },
    };
  },
});

function bytesOf(text: string | undefined, base64: string | undefined): Uint8Array<ArrayBuffer> {
  if ((text === undefined) === (base64 === undefined)) {
    throw new RefusedCall("invalid_arguments", "Give either text or base64.");
  }
  if (text !== undefined) return new TextEncoder().encode(text);
  try {
    return Uint8Array.from(atob(base64 ?? ""), (character) => character.charCodeAt(0));
  } catch {
    throw new RefusedCall("invalid_arguments", "Field base64: use base64 without line breaks.");
  }
}

export const fileTools = [uploadFile, linkFile];
