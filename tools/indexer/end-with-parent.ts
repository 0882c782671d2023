/** Has Ponder release the lock on its schema and end when the program that started it dies. */
export function endWithParent(): void {
  if (process.connected === undefined) return;
  const end = () => process.kill(process.pid, "SIGINT");
  if (process.connected) process.once("disconnect", end);
  else end();
}
