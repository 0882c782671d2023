import { setTimeout as sleep } from "node:timers/promises";
import { BaseError, http, type Transport } from "viem";

/** What nodes say whose latest block is replaced while they look: anvil without old states, and several behind one address. */
const replaced = /BlockOutOfRangeError|header not found/;

/** A node by HTTP, asked again where its latest block was replaced while it looked. */
export const steadyHttp =
  (url: string): Transport<"http"> =>
  (options) => {
    const transport = http(url)(options);
    const request: typeof transport.request = async (...asked) => {
      for (let left = 5; ; left -= 1) {
        try {
          return await transport.request(...asked);
        } catch (error) {
          if (left === 0 || !(error instanceof BaseError) || !replaced.test(error.details)) throw error;
          await sleep(50);
        }
      }
    };
    return { ...transport, request };
  };
