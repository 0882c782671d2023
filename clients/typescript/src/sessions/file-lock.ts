import { createHash } from "node:crypto";
import { closeSync, constants, openSync, realpathSync, rmSync, statSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { EarnestError } from "../core/errors.ts";

/** Another process has the file open. */
export class FileInUseError extends EarnestError {
  readonly path: string;

  constructor(path: string) {
    super(
      `Another process uses ${path}. A session file has one process at a time: stop that process, or use another file.`,
    );
    this.path = path;
  }
}

/**
 * Locks a file for this process until the returned function is called, or the process ends. The lock is a listening socket,
 * which the system closes with the process, so a killed process leaves no lock.
 *
 * On Linux a second socket in the file's folder locks it for containers that share the folder. Machines that share a folder
 * share no sockets: give each its own folder.
 *
 * @throws FileInUseError if another process, or this one, has the lock; an error of the system if the folder takes no socket
 */
export async function lockFile(path: string): Promise<() => void> {
  const real = join(realpathSync(dirname(path)), basename(path));
  const hash = createHash("sha256").update(real).digest("hex").slice(0, 32);
  const { platform } = process;
  if (platform === "win32") return await listenOnce(`\\\\.\\pipe\\earnest-${hash}`, path);
  if (platform !== "linux") return await takeSocket(join(tmpdir(), `earnest-${hash}.sock`), path);
  // Only one process of a container reaches the folder's socket, so it can safely replace one that a killed process left.
  const unlockHere = await listenOnce(`\0earnest-${hash}`, path);
  const folder = openSync(dirname(real), constants.O_RDONLY);
  const unlock = () => {
    unlockHere();
    closeSync(folder);
  };
  try {
    // The address of a socket has 107 bytes at most, and a folder's name may have more.
    const unlockFolder = await takeSocket(`/proc/self/fd/${folder}/.lock-${nameHash(real)}`, path);
    return () => {
      unlockFolder();
      unlock();
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Containers see a folder under different names, so the file's own name counts. */
const nameHash = (path: string) => createHash("sha256").update(basename(path)).digest("hex").slice(0, 16);

async function listenOnce(address: string, path: string): Promise<() => void> {
  const close = await listen(address);
  if (!close) throw new FileInUseError(path);
  return close;
}

/** Listens on a socket with a file, which stays after its process. */
async function takeSocket(address: string, path: string): Promise<() => void> {
  let close = await listen(address);
  if (!close) {
    if (await answers(address)) throw new FileInUseError(path);
    rmSync(address, { force: true });
    close = await listenOnce(address, path);
  }
  // Another container may have replaced the same old socket, and then this one.
  const own = statSync(address).ino;
  await setTimeout(settleMs);
  if (statSync(address, { throwIfNoEntry: false })?.ino === own) return close;
  close();
  throw new FileInUseError(path);
}

/** Milliseconds after which two processes that replace the same old socket know which of them has the lock. */
const settleMs = 100;

async function listen(address: string): Promise<(() => void) | null> {
  const server = createServer((socket) => socket.destroy());
  return await new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(null) : reject(error),
    );
    server.listen(address, () => {
      server.unref();
      resolve(() => server.close());
    });
  });
}

async function answers(address: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    // Another error, such as a missing right, says nothing about the process behind the socket.
    socket.once("error", ({ code }: NodeJS.ErrnoException) =>
      resolve(code !== "ECONNREFUSED" && code !== "ENOENT"),
    );
  });
}
