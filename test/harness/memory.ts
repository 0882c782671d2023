import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";
import { startedAt } from "../../tools/stack/process.ts";

const memory = "/dev/shm";
/** Four times what a run was seen to take. */
const enough = 1.2 * 2 ** 30;

/**
 * Puts what tests write for a while into memory, where the system has that and enough of it is free. A run makes and removes
 * half a million files, and ext4 passes over those removed in the last minutes at each new one.
 *
 * @returns what takes all of it away
 */
export function keepFilesInMemory(): () => void {
  const folder = join(memory, `earnest-run-${process.pid}`);
  try {
    // What a run that was killed left.
    for (const name of readdirSync(memory)) {
      const pid = Number(/^earnest-run-(\d+)$/.exec(name)?.[1]);
      if (pid && startedAt(pid) === null) rmSync(join(memory, name), { recursive: true, force: true });
    }
    const { bavail, bsize } = statfsSync(memory);
    if (Math.min(bavail * bsize, freemem()) < enough) return () => {};
    mkdirSync(folder, { mode: 0o755 });
    // Some systems run no program from there.
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    if (spawnSync(program).status === 0) process.env.TMPDIR = folder;
    rmSync(program);
  } catch {
    // Not on this system.
  }
  return () => rmSync(folder, { recursive: true, force: true });
}
