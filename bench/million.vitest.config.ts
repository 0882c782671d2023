import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

// `npm run bench:million`: the marketplace with a million services and a million orders, in eight minutes and 7 GB. The
// server keeps PostgreSQL's default of 128 MB in memory, in which a question that is asked again finds its pages.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ["bench/marketplace.bench.ts"],
    provide: { marketServices: 1_000_000 },
  },
});
