import type { Earnest, FileReference } from "earnest-client";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { hashOfFile } from "../disputes/attached-files.tsx";
import { cutText } from "../parts/cut-text.ts";
import { consoleHeaders } from "../session/client.ts";

/** The bytes of one request. */
const pieceBytes = 16 * 1024 * 1024;

/** The bytes of the largest file whose hash the page computes. */
const mostHashed = 64 * 1024 * 1024;

/**
 * Uploads a file to the account by tus 1.0, in pieces. The service checks the bytes against the hash.
 *
 * @returns the reference that messages and statements have
 * @throws Error if the service refuses a piece
 */
export async function uploadFile(
  client: Earnest,
  organisation: string | null,
  file: File,
): Promise<FileReference> {
  const named = { name: cutText(file.name, longest.fileName), size: file.size };
  // The hash of a larger file would need too much memory.
  const sha256 = file.size <= mostHashed ? await hashOfFile(file) : undefined;
  const { id, upload_url: url } = await client.files.create(sha256 ? { ...named, sha256 } : named);
  if (url === null) throw new Error("The service has no place for the bytes of the file.");
  for (let offset = 0; offset < file.size; offset += pieceBytes) {
    const answer = await fetch(url, {
      method: "PATCH",
      headers: {
        ...consoleHeaders,
        ...(organisation === null ? {} : { "X-Organisation": organisation }),
        "Tus-Resumable": "1.0.0",
        "Upload-Offset": String(offset),
        "Content-Type": "application/offset+octet-stream",
      },
      body: file.slice(offset, offset + pieceBytes),
    });
    if (!answer.ok) {
      const body: { error?: { message?: string } } = await answer.json().catch(() => ({}));
      throw new Error(body.error?.message ?? `The upload was answered ${answer.status}.`);
    }
  }
  const { reference } = await client.files.get(id);
  if (reference === null) throw new Error("The upload is not complete.");
  return reference;
}
