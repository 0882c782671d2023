export { addMetrics } from "./metrics.ts";
