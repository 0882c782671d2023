// npm run demo: takes one order from placement to its receipt, with the TypeScript client and the parties' own wallets.
// `npm run demo -- --rail x402` pays by a signature instead of transactions of the wallet.
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
  if (!known) throw new Error(`--rail must be ${rails.join(" or ")}, but is ${rail}.`);
  return { rail: known, feedback, commerce };
}

/** Whether the connection was refused. The system's error is the cause of fetch's error, which is the cause of the client's. */
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
  else console.error("No API answers at this address: start Earnest first (npm start), or set BASE_URL.");
  process.exitCode = 1;
}
