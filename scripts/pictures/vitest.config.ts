import { defineConfig } from "vitest/config";
import base from "../../tools/bench/vitest.config.ts";

// `npm run pictures`: the stack and the browser of the tests, with a sample market.
export default defineConfig({
  ...base,
  test: { ...base.test, include: ["scripts/pictures.ts"] },
});
