export { writeMetrics } from "./metrics.ts";
export { serveMetrics, textPage } from "./port.ts";
