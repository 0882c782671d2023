import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

// `npm run bench:million`: the marketplace with a million services and a million orders. Filling it takes 10 to 20
// minutes and 6 GB.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ["bench/marketplace.bench.ts"],
    provide: { marketServices: 1_000_000 },
  },
});
