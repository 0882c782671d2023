// Calls a session's provider, and keeps the number of each answer. A test kills this program at any moment and starts it again.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { ConnectionError, Earnest } from "../src/index.ts";
import { openSession, type Session } from "../src/sessions.ts";

const { BASE_URL = "", TOKEN, WALLET_KEY, RPC_URL, AGENT = "", FILE = "", ANSWERS = "", CALLS } = process.env;
const earnest = new Earnest({ baseUrl: BASE_URL, apiKey: TOKEN });
const wallet = createWalletClient({
  account: privateKeyToAccount(WALLET_KEY as Hex),
  transport: http(RPC_URL),
});
const calls = Number(CALLS);
const options = {
  wallet,
  calls: 2 * calls,
  maxAmount: "20.00",
  file: FILE,
  issuer: process.env.ISSUER ?? "",
};

async function open(): Promise<Session> {
  for (;;) {
    try {
      const service = await earnest.services.get(AGENT, "double");
      return await openSession(earnest, service, { ...options, onLateAnswer: ({ output }) => keep(output) });
    } catch (error) {
      // The service is down, too.
      if (!(error instanceof ConnectionError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

const session = await open();

const kept = existsSync(ANSWERS) ? readFileSync(ANSWERS, "utf8").trim().split("\n").map(Number) : [];
let number = kept.at(-1) ?? 0;

function keep(output: unknown): void {
  const { twice } = output as { twice: number };
  if (twice !== 2 * (number + 1)) throw new Error(`The answer ${twice} is not that of ${number + 1}.`);
  appendFileSync(ANSWERS, `${++number}\n`);
}

// The last run may have got an answer that it did not keep.
if (session.spent > 1_000n * BigInt(number)) keep((await session.repeatLast())?.output);
while (number < calls) keep((await session.call({ number: number + 1 })).output);
await session.close();
console.log(session.orderId);
