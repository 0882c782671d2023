import { Hono } from "hono";

// Ponder wants an app. Ours is served by a process of its own, scripts/api.ts.
export default new Hono();
