// Runs the agent in a separate process, so that no other work delays its checks. Its argument is the watched servers, in JSON.

import { startAgent, type Watched } from "./agent.ts";

const watched: Watched[] = JSON.parse(process.argv[2] ?? "[]");
const agent = await startAgent(watched, (state) => process.send?.(state));
const end = () => void agent.stop().then(() => process.exit(0));
process.once("SIGTERM", end);
// The parent process has ended.
process.once("disconnect", end);
