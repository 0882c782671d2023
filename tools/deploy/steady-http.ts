import { http, type Transport } from "viem";
import { readSteadily } from "../../protocol/settlement/steady-reads.ts";

/** Reads a node by HTTP, and retries a read whose block was replaced meanwhile. */
export const steadyHttp =
  (url: string): Transport<"http"> =>
  (options) => {
    const transport = http(url)(options);
    const request: typeof transport.request = (...args) => readSteadily(() => transport.request(...args));
    return { ...transport, request };
  };
