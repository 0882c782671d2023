import { fileURLToPath } from "node:url";

/** The folder in which Node keeps the compiled code of the programs. Compiling is a large share of a start. */
export const compileCache = fileURLToPath(new URL("../../node_modules/.cache/earnest", import.meta.url));
