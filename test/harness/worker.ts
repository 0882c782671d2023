// In every process that runs tests: when the run that started it is killed, it ends, and its children with it.

// Vitest runs this before each file of a process.
const isKnown = Symbol.for("earnest.test.worker");
if (!Reflect.has(globalThis, isKnown)) {
  Reflect.set(globalThis, isKnown, true);
  process.once("disconnect", () => process.exit(1));
  // What ends a process whose file is done; an exit in order keeps the compiled code for the next one.
  process.once("SIGTERM", () => process.exit());
}
