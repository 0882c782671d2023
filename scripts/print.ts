import { escapeControls, printable } from "../receipts/printable.ts";

/** Prints lines that hold what others wrote. */
export function printLines(...lines: string[]): void {
  for (const line of lines) console.log(printable(line));
}

/** Prints a message on standard error that may hold what others wrote; the usage is ours. */
export function complain(message: string, usage?: string): void {
  console.error(printable(message));
  if (usage !== undefined) console.error(`\n${usage}`);
}

/** Prints JSON for programs, which a terminal may show all the same. */
export function printJson(value: unknown, indent?: number): void {
  const lines = JSON.stringify(value, null, indent).split("\n");
  console.log(lines.map(escapeControls).join("\n"));
}

/** A signed note of several lines, indented. */
export function indented(note: string): string[] {
  return note
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`);
}
