// Serves sessions, and prints a line for each call of its handler. A test kills this program at any moment and starts it again.

import { createServer } from "node:http";
import { createPublicClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { Earnest } from "../src/index.ts";
import { serveCalls } from "../src/sessions.ts";

const { BASE_URL = "", TOKEN, WALLET_KEY, RPC_URL, AGENT = "", FOLDER = "", ENDPOINT_PORT } = process.env;
const earnest = new Earnest({ baseUrl: BASE_URL, apiKey: TOKEN });

const handler = async ({ number }: { number: number }) => {
  console.log(`called for ${number}`);
  await new Promise((resolve) => setTimeout(resolve, 2 * Math.random()));
  return { twice: 2 * number };
};
const calls = await serveCalls(earnest, handler, {
  agent: AGENT,
  service: "double",
  perCall: "0.001",
  folder: FOLDER,
  wallet: privateKeyToAccount(WALLET_KEY as Hex),
  node: createPublicClient({ transport: http(RPC_URL) }),
  onError: (error) => console.error(error),
});
createServer(calls.handle).listen(Number(ENDPOINT_PORT), "127.0.0.1");
