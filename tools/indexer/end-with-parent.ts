/** Ends Ponder when the program that started it dies. Ponder then releases the lock on its schema. */
export function endWithParent(): void {
  if (process.connected === undefined) return;
  const end = () => process.kill(process.pid, "SIGINT");
  if (process.connected) process.once("disconnect", end);
  else end();
}
