// The agent as a process of its own: nobody's work keeps it from looking. Its argument is what it watches, in JSON.

import { startAgent, type Watched } from "./agent.ts";

const watched: Watched[] = JSON.parse(process.argv[2] ?? "[]");
const agent = await startAgent(watched, (state) => process.send?.(state));
const end = () => void agent.stop().then(() => process.exit(0));
process.once("SIGTERM", end);
// The parent process has ended.
process.once("disconnect", end);
