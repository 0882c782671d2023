// npm run demo: the life of one order, with the TypeScript client and the parties' own wallets.
// `npm run demo -- --rail x402` pays by a signature instead of the wallet's transactions.
// `-- --feedback` adds the agent's on-chain identity and the buyer's feedback.
// `-- --commerce` adds a request with a quote, a subscription, and the list of payments.

import { parseArgs } from "node:util";
import { privateKeyToAccount } from "viem/accounts";
import { ConfigError } from "../config/config.ts";
import { readDemoConfig } from "../config/programs.ts";
import { type Rail, rails } from "../protocol/settlement/vocabulary.ts";
import { runDemo } from "../tools/demo/order.ts";

function readArguments(): { rail: Rail; feedback: boolean; commerce: boolean } {
  const options = {
    rail: { type: "string" },
    feedback: { type: "boolean" },
    commerce: { type: "boolean" },
  } as const;
  const { rail = "escrow", feedback = false, commerce = false } = parseArgs({ options }).values;
  const known = rails.find((one) => one === rail);
  if (!known) throw new Error(`--rail takes ${rails.join(" or ")}, and not ${rail}.`);
  return { rail: known, feedback, commerce };
}

/** Whether nobody listens at the address: the client's error has fetch's as its cause, and that one the system's. */
function isRefused(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === "ECONNREFUSED" || (cause !== undefined && isRefused(cause));
}

try {
  const { buyerPrivateKey, providerPrivateKey, ...config } = readDemoConfig();
  await runDemo({
    ...config,
    ...readArguments(),
    ...(buyerPrivateKey ? { buyer: privateKeyToAccount(buyerPrivateKey) } : {}),
    ...(providerPrivateKey ? { provider: privateKeyToAccount(providerPrivateKey) } : {}),
    print: console.log,
  });
} catch (error) {
  const { message } = error as Error;
  if (error instanceof ConfigError || !isRefused(error)) console.error(message);
  else console.error("Nobody answers there: start Earnest first (npm start), or set BASE_URL.");
  process.exitCode = 1;
}
