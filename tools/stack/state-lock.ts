import { renameSync, rmSync, writeFileSync } from "node:fs";
import { type Child, startedAt } from "./process.ts";

/** The holder of a state folder, and the children to stop if the holder dies. */
export type LockContent = {
  pid: number;
  started: string;
  children: { name: string; pid: number; started: string; signal: "SIGINT" | "SIGTERM" }[];
};

export type Lock = {
  /** Records a child, so that the next start can stop it if this process cannot. */
  note(child: Child): void;
  release(): void;
};

/** Creates the lock of a process without children. */
export const newLock = (pid: number): LockContent => ({ pid, started: startedAt(pid) ?? "", children: [] });

/** Keeps the lock that `takeLock` took for this process. */
export function keepLock(file: string): Lock {
  const content = newLock(process.pid);
  const draft = `${file}.${process.pid}`;
  return {
    note(child) {
      const started = startedAt(child.pid);
      if (started === null) return;
      content.children = content.children.filter(({ name }) => name !== child.name);
      content.children.unshift({ name: child.name, pid: child.pid, started, signal: child.stopSignal });
      writeFileSync(draft, JSON.stringify(content));
      renameSync(draft, file);
    },
    release: () => rmSync(file, { force: true }),
  };
}
