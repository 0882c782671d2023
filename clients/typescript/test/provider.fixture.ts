// Serves, and prints a line for each call of its handler. A test kills this program at any moment and starts it again.

import { createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { Earnest } from "../src/index.ts";

const { BASE_URL = "", TOKEN, WALLET_KEY, RPC_URL, AGENT = "" } = process.env;
const earnest = new Earnest({ baseUrl: BASE_URL, apiKey: TOKEN });
const wallet = createWalletClient({
  account: privateKeyToAccount(WALLET_KEY as Hex),
  transport: http(RPC_URL),
});
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());

await earnest.serve(
  AGENT,
  {
    double: (input: { number: number }, { isRetry }) => {
      console.log(`called for ${input.number}${isRetry ? " again" : ""}`);
      return { twice: input.number * 2 };
    },
  },
  { wallet, signal: stop.signal, onError: (error) => console.error(error) },
);
console.log("stopped");
