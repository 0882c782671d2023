import {
  parseJSONRPCMessage,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { parseJson } from "../../../json/parse.ts";

/**
 * Standard input and output for MCP: each line is a message. The SDK's own transport reads a line by `JSON.parse`, which
 * may misread the names of a tool's arguments.
 */
export function createStdio(): Transport {
  const { stdin, stdout } = process;
  let rest = "";
  let isClosed = false;

  const transport: Transport = {
    async start() {
      stdin.setEncoding("utf8").on("data", take).once("end", close).once("error", fail);
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

  function take(text: string): void {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      try {
        transport.onmessage?.(parseJSONRPCMessage(parseJson(line)));
      } catch (error) {
        transport.onerror?.(error as Error);
      }
    }
    if (rest.length > STDIO_DEFAULT_MAX_BUFFER_SIZE) fail(new Error("A message is too long."));
  }

  return transport;
}
