// In every process that runs tests: when the run that started it is killed, it ends, and its children with it.

process.once("disconnect", () => process.exit(1));
