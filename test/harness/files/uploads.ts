import { createHash } from "node:crypto";
import type { Session } from "../api.ts";

export const sha256Of = (bytes: Uint8Array) =>
  `0x${createHash("sha256").update(bytes).digest("hex")}` as const;

export const headersOf = ({ token }: Pick<Session, "token">, more: Record<string, string> = {}) => ({
  authorization: `Bearer ${token}`,
  "tus-resumable": "1.0.0",
  ...more,
});

export const metadataOf = (members: Record<string, string>) =>
  Object.entries(members)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString("base64")}`)
    .join();

/** Sends bytes of an upload at an offset. */
export function sendBytes(
  url: string,
  who: Session,
  offset: number,
  bytes: Uint8Array | ReadableStream,
  more = {},
) {
  const headers = headersOf(who, {
    "upload-offset": String(offset),
    "content-type": "application/offset+octet-stream",
    ...more,
  });
  return fetch(url, { method: "PATCH", headers, body: bytes, duplex: "half" } as RequestInit);
}

/** Asks for the offset of an upload. */
export async function offsetOf(url: string, who: Session): Promise<number> {
  const answer = await fetch(url, { method: "HEAD", headers: headersOf(who) });
  if (answer.status !== 200) throw new Error(`HEAD answered ${answer.status}.`);
  return Number(answer.headers.get("upload-offset"));
}

/** Uploads a file in one request. */
export function uploadAtOnce(
  base: string,
  who: Session,
  bytes: Uint8Array<ArrayBuffer>,
  metadata: Record<string, string>,
) {
  const headers = headersOf(who, {
    "upload-length": String(bytes.length),
    "upload-metadata": metadataOf(metadata),
    "content-type": "application/offset+octet-stream",
  });
  return fetch(`${base}/uploads`, { method: "POST", headers, body: bytes });
}
