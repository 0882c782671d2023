// In every process that runs tests: when the run that started it is killed, it ends, and its children with it.

process.once("disconnect", () => process.exit(1));
// What ends a process whose file is done; an exit in order keeps the compiled code for the next one.
process.once("SIGTERM", () => process.exit());
