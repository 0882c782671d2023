import { http, type Transport } from "viem";
import { readSteadily } from "../../protocol/settlement/steady-reads.ts";

/** A node by HTTP, asked again where its latest block was replaced while it looked. */
export const steadyHttp =
  (url: string): Transport<"http"> =>
  (options) => {
    const transport = http(url)(options);
    const request: typeof transport.request = (...asked) => readSteadily(() => transport.request(...asked));
    return { ...transport, request };
  };
