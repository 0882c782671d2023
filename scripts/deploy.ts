// npm run deploy: deploys the escrow contract on a chain and writes the manifest that every process reads.

import { runDeploy } from "./deploy/command.ts";

process.exitCode = await runDeploy(process.argv.slice(2), {
  env: process.env,
  print: console.log,
  complain: console.error,
});
