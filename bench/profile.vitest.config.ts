import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

// `npm run profile -- -t "own orders"`: samples the API's stacks while one row of `request.bench.ts` is asked, and draws
// them. Without `-t` it does so for all rows.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ["bench/request.bench.ts"],
    provide: { profiled: true },
  },
});
