import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Returns Node's arguments for a program; its path is from the root. */
export const ourProgram = (path: string, ...args: string[]): string[] => [join(root, path), ...args];

/** A program that a test started, with its output. */
export type Program = {
  process: ChildProcess;
  pid: number;
  output(): string;
  /** Waits for text in the output. Fails when the program ends first, or after some milliseconds: five minutes by default. */
  says(text: string, timeoutMs?: number): Promise<void>;
  /** The exit code, once the program has ended. */
  ended: Promise<number | null>;
};

/** Starts a program in a process group of its own, as a terminal would. */
export function startProgram(
  file: string,
  args: string[],
  options: { env?: Record<string, string | undefined>; cwd?: string } = {},
): Program {
  const child = spawn(file, args, {
    cwd: root,
    ...options,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      output += text;
    });
  }
  let hasEnded = false;
  const ended = new Promise<number | null>((resolve) =>
    child.once("close", (code) => {
      hasEnded = true;
      resolve(code);
    }),
  );
  return {
    process: child,
    pid: child.pid as number,
    output: () => output,
    ended,
    async says(text, timeoutMs = 300_000) {
      const deadline = Date.now() + timeoutMs;
      while (!output.includes(text)) {
        if (hasEnded || Date.now() > deadline) throw new Error(`It never said "${text}":\n${output}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}
