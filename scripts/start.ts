// npm start: everything on this machine. See docs/operations/install.md for running it in parts.
// This process stays, so it loads next to nothing.

import { parseArgs } from "node:util";
import { keepStack } from "../tools/stack/stack-keeper.ts";
import { createSupervisor } from "../tools/stack/supervisor.ts";

const usage = `npm start                brings up Earnest on this machine: PostgreSQL, a local chain with the
                         contracts, the indexer, the API, a worker. On an empty chain it then
                         settles one sample order. Ctrl-C stops all of it; the state is kept.
npm start -- --no-demo   without the sample order
npm start -- --reset     begins with an empty state: orders, accounts, chain and signing key are lost

Settings (.env or the environment, see .env.example): EARNEST_STATE_DIR, PORT, METRICS_PORT,
ANVIL_PORT, POSTGRES_PORT, PUBLIC_URL.`;

const supervisor = createSupervisor();
try {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", short: "h" },
      reset: { type: "boolean" },
      "no-demo": { type: "boolean" },
    },
  });
  if (values.help) console.log(usage);
  else keepStack(supervisor, process.argv.slice(2));
} catch (error) {
  await supervisor.fail((error as Error).stack ?? String(error));
}
