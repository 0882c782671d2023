// The settings of trading: the windows of orders and sessions, and what callers may take.

import { z } from "zod";
import { address, seconds } from "./environment.ts";
import { rateLimits, streamBounds, trustedProxies, usualRates, usualStreams } from "./limits.ts";
import { settingNotes } from "./settings.ts";

/** Coinbase Smart Wallet 1 and 1.1, and Safe 1.4.1, at the same address on every chain. */
const usualFactories =
  "0x0BA5ED0c6AA8c49038F819E587E2633c4A9F428a,0xBA5ED110eFDBa3D005bfC882d75358ACBbB85842,0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67";

const asList = (values: Record<string, number>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join();

export const orderEnvironment = {
  SESSION_SECONDS: seconds
    .default(24 * 3600)
    .register(settingNotes, { for: "API", is: "how long a session lasts", unit: "seconds" }),
  NONCE_SECONDS: seconds
    .default(10 * 60)
    .register(settingNotes, { for: "API", is: "how long the nonce of a sign-in is good", unit: "seconds" }),
  FUNDING_WINDOW_SECONDS: seconds.default(24 * 3600).register(settingNotes, {
    for: "API, worker",
    is: "how long a new order waits for its money",
    unit: "seconds",
  }),
  DISPUTE_WINDOW_SECONDS: seconds
    .default(7 * 24 * 3600)
    .register(settingNotes, { for: "API, worker", is: "how long an arbiter may decide", unit: "seconds" }),
  APPEAL_WINDOW_SECONDS: seconds.default(2 * 24 * 3600).register(settingNotes, {
    for: "API, worker",
    is: "how long a decision waits until its settlement",
    unit: "seconds",
  }),
  X402_WAIT_SECONDS: z.coerce.number().min(0).max(60).default(10).register(settingNotes, {
    for: "API",
    is: "how long a request that pays by x402 waits for its transaction",
    unit: "seconds",
  }),
  BUY_WAIT_SECONDS: z.coerce.number().int().min(0).max(300).default(60).register(settingNotes, {
    for: "API",
    is: "how long a request that buys without an account may wait for the output",
    unit: "seconds",
  }),
  X402_WALLET_FACTORIES: z
    .string()
    .default(usualFactories)
    .transform((list) => list.split(",").map((item) => item.trim()))
    .pipe(z.array(address))
    .register(settingNotes, {
      for: "API",
      is: "the factories that may deploy a payer's wallet (ERC-6492), besides the chain's factory of passkey accounts",
      otherwise: "Coinbase Smart Wallet 1 and 1.1, Safe 1.4.1",
      example: usualFactories,
    }),
};

export const protectionEnvironment = {
  TRUSTED_PROXIES: trustedProxies.default(null).register(settingNotes, {
    for: "API",
    is: "how many proxies stand before the API, or their addresses and networks (`10.0.0.0/8,::1`)",
    otherwise: "none",
  }),
  RATE_LIMITS: rateLimits.default(usualRates).register(settingNotes, {
    for: "API",
    is: "`off`, or changed limits of requests or bytes a minute, as in `address=100,content=4194304`",
    otherwise: "those of docs/api.md",
    example: asList(usualRates),
  }),
  EVENT_STREAMS: streamBounds.default(usualStreams).register(settingNotes, {
    for: "API",
    is: "changed bounds of event streams: their number of an account, of an address and in a process; and the seconds between signs of life, of a slow reader, without an event and in all",
    otherwise: `\`${asList(usualStreams).replaceAll(",", ", ")}\``,
    example: asList(usualStreams),
  }),
  ANSWER_CACHE_MB: z.coerce.number().int().min(0).max(1024).default(8).register(settingNotes, {
    for: "API",
    is: "the memory of each process for answers about the market that are kept for a second",
    unit: "megabytes",
  }),
};
