import { fileURLToPath } from "node:url";

/** Variables with which Node starts a program of ours in less processor time. */
export const fastStart = {
  /** The folder in which Node keeps compiled code. Compiling is a large share of a start. */
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/earnest", import.meta.url)),
  NODE_OPTIONS: `--import=${new URL("./fast-start-hooks.ts", import.meta.url).href}`,
};
