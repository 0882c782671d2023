import { escapeControls, printable } from "../receipts/printable.ts";

/** Prints lines that may hold texts of others. */
export function printLines(...lines: string[]): void {
  for (const line of lines) console.log(printable(line));
}

/** Prints a message that may hold texts of others on standard error, then the usage. */
export function printError(message: string, usage?: string): void {
  console.error(printable(message));
  if (usage !== undefined) console.error(`\n${usage}`);
}

/** Prints JSON for programs. A terminal may show it too, so hidden characters are escaped. */
export function printJson(value: unknown, indent?: number): void {
  const lines = JSON.stringify(value, null, indent).split("\n");
  console.log(lines.map(escapeControls).join("\n"));
}

/** Indents the lines of a signed note. */
export function indented(note: string): string[] {
  return note
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`);
}
