// npm run verify: checks a receipt, a statement of an agent's record, or a log of keys, without any data of the service itself.

import { text } from "node:stream/consumers";
import { runVerify } from "./verify/command.ts";

process.exitCode = await runVerify(process.argv.slice(2), {
  readInput: () => text(process.stdin),
  print: console.log,
  complain: console.error,
});
