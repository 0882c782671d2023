import { consoleHeaders } from "../session/client.ts";
import { addressOf, type Operation } from "./description.ts";

/** The most characters of an answer that are shown, and the milliseconds after which a stream is cut. */
const longestAnswer = 100_000;
const longestMs = 15_000;

/** Sends a request of an operation. The browser adds the session's cookie, which no script can read. */
export async function sendRequest(
  operation: Operation,
  {
    values,
    body,
    organisation,
  }: { values: Record<string, string>; body: string; organisation: string | null },
) {
  const { method, parameters = [] } = operation;
  const headers = new Headers(consoleHeaders);
  if (organisation) headers.set("X-Organisation", organisation);
  if (body !== "" && method !== "GET") headers.set("Content-Type", "application/json");
  for (const { name, in: place } of parameters) {
    if (place === "header" && values[name]) headers.set(name, values[name]);
  }
  const started = performance.now();
  const answer = await fetch(addressOf(operation, values), {
    method,
    headers,
    ...(body !== "" && method !== "GET" ? { body } : {}),
  });
  const { text, isCut } = await readStart(answer);
  return {
    status: answer.status,
    milliseconds: Math.round(performance.now() - started),
    headers: [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n"),
    body: isCut ? text : formatted(text),
    isCut,
  };
}

/** Reads an answer up to a length and a time: a stream of events has no end. */
async function readStart(answer: Response): Promise<{ text: string; isCut: boolean }> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return { text: "", isCut: false };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void reader.cancel();
  }, longestMs);
  let text = "";
  try {
    while (text.length <= longestAnswer) {
      const { done, value } = await reader.read();
      if (done) return { text, isCut: isLate };
      text += value;
    }
  } finally {
    clearTimeout(timer);
  }
  void reader.cancel();
  return { text: text.slice(0, longestAnswer), isCut: true };
}

function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
