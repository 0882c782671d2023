import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

// `npm run bench:million`: the marketplace with a million services and a million orders, in six minutes and 5 GB. The
// server keeps PostgreSQL's default of 128 MB in memory; one that is set up for such a market answers sooner.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ["bench/marketplace.bench.ts"],
    provide: { marketServices: 1_000_000 },
  },
});
