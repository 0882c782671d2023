// Ends each test process, with its children, when the run that started it is killed.

// Vitest runs this before each file of a process.
const isKnown = Symbol.for("earnest.test.worker");
if (!Reflect.has(globalThis, isKnown)) {
  Reflect.set(globalThis, isKnown, true);
  process.once("disconnect", () => process.exit(1));
  // Ends a process whose file is done. An orderly exit stores the compiled code for the next process.
  process.once("SIGTERM", () => process.exit());
}
