import type { RawResponse } from "./call.ts";
import { parseExactly } from "./exact-json.ts";

/** The most bytes of a response body. */
const mostAnswerBytes = 64 * 2 ** 20;

/** Parses a response: JSON as a value, a file as bytes, anything else as text. */
export function readJson({ headers, text, bytes }: RawResponse): unknown {
  if (bytes !== null) return bytes;
  if (text === "") return undefined;
  return isJson(headers) ? parseExactly(text) : text;
}

/** Decodes a body like `Response.text`, or keeps the bytes of a file. */
export function readBody(bytes: Uint8Array, isFile: boolean): Pick<RawResponse, "text" | "bytes"> {
  return isFile ? { text: "", bytes } : { text: new TextDecoder().decode(bytes), bytes: null };
}

/** Reads the whole body, with a size limit. */
export async function readBytes(response: Response): Promise<Uint8Array> {
  // Some platforms have no body stream.
  if (!response.body) return new Uint8Array(await response.arrayBuffer());
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return join(chunks, size);
    size += value.length;
    if (size > mostAnswerBytes) {
      void reader.cancel().catch(() => {});
      throw new Error(`the body is larger than ${mostAnswerBytes} bytes`);
    }
    chunks.push(value);
  }
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Tells whether the headers name a type of JSON. */
export const isJson = (headers: Headers) => /[/+]json\b/.test(headers.get("content-type") ?? "");
