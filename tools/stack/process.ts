import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A child process of ours, or of the process that keeps ours (`haveChildrenKept`). */
export type Child = {
  name: string;
  pid: number;
  /** where its output goes */
  logFile: string;
  /** what asks it to end */
  stopSignal: "SIGINT" | "SIGTERM";
  exited: Promise<Exit>;
  /** settles when it has said something on its channel, if it has one */
  ready: Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Asks it to end and waits until it has; one that does not within `patience` milliseconds is killed. */
  stop(patience?: number): Promise<Exit>;
};

/** A child of this very process. */
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
  /** opens a channel, on which it says "ready" by `process.send` */
  channel?: boolean;
  /** whether the supervisor restarts it when it ends */
  startedAgain?: boolean;
};

/** Children that run. Should we end without having stopped them, they are at least asked to. */
const running = new Map<ChildProcess, "SIGINT" | "SIGTERM">();
process.on("exit", () => {
  for (const [child, signal] of running) child.kill(signal);
});

/**
 * Starts a child in a process group of its own, so that a terminal's Ctrl-C reaches it through us alone and in the
 * order we choose. Its output goes to a file, not a pipe: it outlives us if we are killed.
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
        async stop(patience = 20_000) {
          child.kill(stopSignal);
          const timer = setTimeout(() => kill(child, "SIGKILL"), patience);
          const exit = await exited;
          clearTimeout(timer);
          return exit;
        },
      }),
    );
  });
}

/** Sends a signal. SIGKILL also goes to the children, which would otherwise go on. */
function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (!["SIGKILL", "SIGSTOP", "SIGCONT"].includes(signal)) return void child.kill(signal);
  killGroup(child.pid as number, signal);
}

/** Signals a child of ours with its own children, whether or not it lives itself. */
export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

let keep: (options: ChildOptions) => Promise<Child> = startChild;

/** Has another process start and keep the parts of the service that this one brings up, as it will end before them. */
export function haveChildrenKept(by: typeof keep): void {
  keep = by;
}

/** Starts a part of the service: a child of this process, or of the one that keeps them. */
export const startPart = (options: ChildOptions): Promise<Child> => keep(options);

/**
 * Asks `ready` again and again until it says yes (anything but null), and hands back what it said.
 *
 * @throws when the child ends first or `patience` milliseconds pass, with the last lines of its log
 */
export async function waitUntilReady<T>(
  child: Child,
  ready: () => Promise<T | null> | T | null,
  { patience = 60_000, interval = 25 }: { patience?: number; interval?: number } = {},
): Promise<T> {
  let ended: Exit | undefined;
  void child.exited.then((exit) => {
    ended = exit;
  });
  const deadline = Date.now() + patience;
  for (;;) {
    const answer = await ready();
    if (answer !== null) return answer;
    if (ended) {
      const how = ended.signal ? `by ${ended.signal}` : `with code ${ended.code}`;
      throw new Error(`${child.name} ended ${how} before it was ready.\n${lastLines(child.logFile)}`);
    }
    if (Date.now() > deadline) {
      throw new Error(`${child.name} was not ready after ${patience / 1000} s.\n${lastLines(child.logFile)}`);
    }
    await sleep(interval);
  }
}

/** The last lines of a log, indented, for people to read. */
function lastLines(logFile: string, count = 12): string {
  try {
    const lines = readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-count);
    return [`  The end of ${logFile}:`, ...lines.map((line) => `  | ${line}`)].join("\n");
  } catch {
    return `  (${logFile} cannot be read)`;
  }
}

/**
 * A TCP port of 127.0.0.1 that nobody uses at this moment, another each time. It is below the ports that systems give to
 * those who ask for any, so that no connection and no such server takes it before its user does.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    if (found.has(port)) continue;
    found.add(port);
    if (!(await isPortTaken(port))) return port;
  }
}

/** Ports that were looked at: who asked first may not listen yet. */
const found = new Set<number>();

/**
 * Whether something already has this port of 127.0.0.1. It takes the port to find out: a server that is just beginning is
 * asked for by `isListening`.
 *
 * @param patience milliseconds for which a taken port is tried again
 */
export async function isPortTaken(port: number, patience = 0): Promise<boolean> {
  for (const deadline = performance.now() + patience; ; await sleep(100)) {
    const isTaken = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once("error", () => resolve(true));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(false)));
    });
    if (!isTaken || performance.now() >= deadline) return isTaken;
  }
}

/** Milliseconds that a port is waited for: Ponder takes a while to end after the program that kept it was killed. */
export const portPatience = 10_000;

/** Whether a server listens on this port of 127.0.0.1. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    // One that has nobody behind it may reset the connection before we see it.
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "ECONNRESET"));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/**
 * When a process was started, in a form that only serves to be compared: a process id alone may be somebody else's
 * by now.
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
