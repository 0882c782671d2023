// npm start: starts everything on this machine. docs/operations/install.md says how to run the parts by themselves.
// This process runs as long as the service, so it imports little.

import { parseArgs } from "node:util";
import { keepStack } from "../tools/stack/stack-keeper.ts";
import { createSupervisor } from "../tools/stack/supervisor.ts";

const usage = `npm start                starts Earnest on this machine: PostgreSQL, a local chain with the
                         contracts, the indexer, the API, a worker. On an empty chain it then
                         settles one sample order. Ctrl-C stops everything and keeps the state.
npm start -- --no-demo   leaves out the sample order
npm start -- --second-chain
                         adds a second chain with other blocks and tokens of 2, 6 and 18 decimals.
                         The state keeps it for later starts.
npm start -- --reset     deletes the state first: orders, accounts, chain and signing key

Settings (.env or the environment, see .env.example): EARNEST_STATE_DIR, PORT, METRICS_PORT,
ANVIL_PORT, SECOND_ANVIL_PORT, POSTGRES_PORT, PUBLIC_URL.`;

const supervisor = createSupervisor();
try {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", short: "h" },
      reset: { type: "boolean" },
      "no-demo": { type: "boolean" },
      "second-chain": { type: "boolean" },
    },
  });
  if (values.help) console.log(usage);
  else keepStack(supervisor, process.argv.slice(2));
} catch (error) {
  await supervisor.fail((error as Error).stack ?? String(error));
}
