import {
  type JSONRPCMessage,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { findRefusal, readMessage, writeRefusal } from "../mcp/rpc-messages.ts";

const newline = "\n".charCodeAt(0);

/**
 * Creates an MCP transport on standard input and output, with one message per line. The SDK's transport uses `JSON.parse`,
 * which drops duplicate names, and does not answer an invalid line.
 */
export function createStdio(): Transport {
  const { stdin, stdout } = process;
  let rest = Buffer.alloc(0);
  let isClosed = false;

  const transport: Transport = {
    async start() {
      stdin.on("data", take).once("end", close).once("error", fail);
      stdout.once("error", fail);
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        stdout.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
      }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      stdin.off("data", take).off("end", close).pause();
      transport.onclose?.();
    },
  };
  const close = () => void transport.close();
  const fail = (error: Error) => {
    transport.onerror?.(error);
    close();
  };

  function take(chunk: Buffer): void {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      const line = rest.subarray(0, end);
      rest = rest.subarray(end + 1);
      if (line.toString().trim() !== "") receive(line);
    }
    if (rest.length > STDIO_DEFAULT_MAX_BUFFER_SIZE)
      fail(new Error(`A message is longer than ${STDIO_DEFAULT_MAX_BUFFER_SIZE} bytes.`));
  }

  function receive(line: Uint8Array): void {
    const read = readMessage(line);
    const refusal = "refusal" in read ? read.refusal : findRefusal(read.message);
    if (refusal) {
      transport.onerror?.(new Error(refusal.message));
      stdout.write(`${JSON.stringify(writeRefusal(refusal))}\n`);
      return;
    }
    try {
      if ("message" in read) transport.onmessage?.(read.message as JSONRPCMessage);
    } catch (error) {
      transport.onerror?.(error as Error);
    }
  }

  return transport;
}
