import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A child of this process, or of the process that keeps its children (`startChildrenBy`). */
export type Child = {
  name: string;
  pid: number;
  /** the file of its output */
  logFile: string;
  /** what asks it to end */
  stopSignal: "SIGINT" | "SIGTERM";
  exited: Promise<Exit>;
  /** settles at the first message on the channel, if there is one */
  ready: Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Asks the child to end and waits. After `graceMs` the child is killed. */
  stop(graceMs?: number): Promise<Exit>;
};

/** A child of this process itself. */
export type OwnChild = Child & { process: ChildProcess };

export type ChildOptions = {
  name: string;
  file: string;
  args: string[];
  logFile: string;
  env?: Record<string, string | undefined>;
  cwd?: string;
  uid?: number | undefined;
  gid?: number | undefined;
  /** what asks it to end */
  stopSignal?: "SIGINT" | "SIGTERM";
  /** opens a channel, on which the child sends "ready" by `process.send` */
  channel?: boolean;
  /** whether the supervisor restarts the child when it ends */
  startedAgain?: boolean;
};

/** The running children. If this process ends without stopping them, they still get their signal. */
const running = new Map<ChildProcess, "SIGINT" | "SIGTERM">();
process.on("exit", () => {
  for (const [child, signal] of running) child.kill(signal);
});

/**
 * Starts a child in its own process group, so that a terminal's Ctrl-C does not reach it and this process chooses the order
 * of the stops. The output goes to a file and not to a pipe, because the child can outlive this process.
 */
export function startChild(options: ChildOptions): Promise<OwnChild> {
  const { name, file, args, logFile, env, cwd, uid, gid, stopSignal = "SIGTERM", channel } = options;
  const log = openSync(logFile, "a");
  const child = spawn(file, args, {
    cwd,
    env,
    uid,
    gid,
    detached: true,
    stdio: ["ignore", log, log, ...(channel ? (["ipc"] as const) : [])],
  });
  closeSync(log);
  running.set(child, stopSignal);
  const exited = new Promise<Exit>((resolve) =>
    child.once("exit", (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    }),
  );
  const ready = new Promise<void>((resolve) => child.once("message", () => resolve()));
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(new Error(`${name} could not be started: ${error.message}`)));
    child.once("spawn", () =>
      resolve({
        name,
        process: child,
        pid: child.pid as number,
        logFile,
        stopSignal,
        exited,
        ready,
        kill: (signal) => kill(child, signal),
        async stop(graceMs = 20_000) {
          child.kill(stopSignal);
          const timer = setTimeout(() => kill(child, "SIGKILL"), graceMs);
          const exit = await exited;
          clearTimeout(timer);
          return exit;
        },
      }),
    );
  });
}

/** Sends a signal. SIGKILL also goes to the child's own children, which would otherwise continue. */
function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (!["SIGKILL", "SIGSTOP", "SIGCONT"].includes(signal)) return void child.kill(signal);
  killGroup(child.pid as number, signal);
}

/** Signals a child's process group, even if the child itself has ended. */
export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

let startKept: (options: ChildOptions) => Promise<Child> = startChild;

/** Lets another process start and keep the parts of the service, because this process ends before them. */
export function startChildrenBy(by: typeof startKept): void {
  startKept = by;
}

/** Starts a part of the service as a child of this process, or of the process that keeps the children. */
export const startPart = (options: ChildOptions): Promise<Child> => startKept(options);

/**
 * Polls `ready` until its result is not null, and returns the result.
 *
 * @throws if the child ends first or `timeoutMs` pass, with the last lines of its log
 */
export async function waitUntilReady<T>(
  child: Child,
  ready: () => Promise<T | null> | T | null,
  { timeoutMs = 180_000, interval = 25 }: { timeoutMs?: number; interval?: number } = {},
): Promise<T> {
  let ended: Exit | undefined;
  void child.exited.then((exit) => {
    ended = exit;
  });
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ready();
    if (answer !== null) return answer;
    if (ended) {
      const how = ended.signal ? `by ${ended.signal}` : `with code ${ended.code}`;
      throw new Error(`${child.name} ended ${how} before it was ready.\n${lastLines(child.logFile)}`);
    }
    if (Date.now() > deadline) {
      throw new Error(
        `${child.name} was not ready after ${timeoutMs / 1000} s.\n${lastLines(child.logFile)}`,
      );
    }
    await sleep(interval);
  }
}

/** Formats the last lines of a log, indented. */
function lastLines(logFile: string, count = 12): string {
  try {
    const lines = readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-count);
    return [`  The end of ${logFile}:`, ...lines.map((line) => `  | ${line}`)].join("\n");
  } catch {
    return `  (${logFile} cannot be read)`;
  }
}

/**
 * Finds a free TCP port of 127.0.0.1, a new one each time. It is below the ephemeral ports, so that no other connection or
 * server takes it first.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    if (found.has(port)) continue;
    found.add(port);
    if (!(await isPortTaken(port))) return port;
  }
}

/** The ports already returned, whose users may not listen yet. */
const found = new Set<number>();

/**
 * Tells whether a port of 127.0.0.1 is in use, by binding it for a moment. Use `isListening` for a server that is starting.
 *
 * @param retryMs milliseconds for which a used port is tried again
 */
export async function isPortTaken(port: number, retryMs = 0): Promise<boolean> {
  for (const deadline = performance.now() + retryMs; ; await sleep(100)) {
    const isTaken = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once("error", () => resolve(true));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(false)));
    });
    if (!isTaken || performance.now() >= deadline) return isTaken;
  }
}

/** Milliseconds to wait for a port: Ponder needs some time to end after the program that kept it was killed. */
export const portRetryMs = 10_000;

/** Whether a server listens on this port of 127.0.0.1. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    // A port without a server may reset the connection before this socket sees it.
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "ECONNRESET"));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/**
 * Reads the start time of a process, in a form for comparison only. A process id alone can be reused.
 *
 * @returns null when there is no such process
 */
export function startedAt(pid: number): string | null {
  try {
    // The 22nd field; the second, the name in brackets, may itself hold spaces and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? null : (fields[19] ?? null);
  } catch {
    if (process.platform === "linux") return null;
    const found = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
    return found.stdout?.trim() || null;
  }
}
