import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type ChildOptions, type Exit, startChild } from "./process.ts";
import { keepLock } from "./state-lock.ts";
import type { Supervisor } from "./supervisor.ts";

/** The messages to the process that supervises the stack. */
export type StackMessage =
  | { locked: string; underNpm: boolean }
  | { start: number; options: ChildOptions }
  | { ready: true }
  | { failed: string };

/** The reply about a child, with the number of its request. */
export type Answer =
  | { of: number; pid: number }
  | { of: number; refused: string }
  | { of: number; ready: true }
  | { of: number; exit: Exit };

/**
 * Runs the program that brings the stack up, and starts and keeps the children that it requests. The program is a separate
 * process because it loads a third of the service. Its memory is free when it ends.
 */
export function keepStack(supervisor: Supervisor, args: string[]): void {
  const file = fileURLToPath(new URL("./bring-up.ts", import.meta.url));
  const program = spawn(process.execPath, [file, ...args], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // This process handles a terminal's Ctrl-C. Work in progress then fails by itself.
    detached: true,
  });
  let hasSaidHow = false;
  const answer = (reply: Answer) => {
    if (program.connected) program.send(reply, () => {});
  };
  async function start(of: number, options: ChildOptions): Promise<void> {
    try {
      const child = await startChild(options);
      supervisor.watch(child, options.startedAgain ? () => startChild(options) : undefined);
      void child.ready.then(() => answer({ of, ready: true }));
      void child.exited.then((exit) => answer({ of, exit }));
      answer({ of, pid: child.pid });
    } catch (error) {
      answer({ of, refused: (error as Error).message });
    }
  }
  program.on("message", (message: StackMessage) => {
    if ("locked" in message) supervisor.keepUntilStop(keepLock(message.locked), message);
    else if ("start" in message) void start(message.start, message.options);
    else {
      hasSaidHow = true;
      if ("failed" in message) void supervisor.fail(message.failed);
      else supervisor.ready();
    }
  });
  program.once("exit", (code, signal) => {
    if (!hasSaidHow) void supervisor.fail(`The start was cut off (${signal ?? `code ${code}`}).`);
  });
  supervisor.starting(program);
}
