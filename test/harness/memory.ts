import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";
import { startedAt } from "../../tools/stack/process.ts";

const memory = "/dev/shm";
/** Four times the measured size of a run. */
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
    // Removes the files of a run that was killed.
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
    // The system has no such folder.
  }
  return () => rmSync(folder, { recursive: true, force: true });
}
