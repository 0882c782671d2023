import { createHash } from "node:crypto";
import { realpathSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
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
 * Processes in different containers have different sockets: give each its own file.
 *
 * @throws FileInUseError if another process, or this one, has the lock
 */
export async function lockFile(path: string): Promise<() => void> {
  const real = join(realpathSync(dirname(path)), basename(path));
  const name = `earnest-${createHash("sha256").update(real).digest("hex").slice(0, 32)}`;
  const address = addressOf(name);
  const close = await listen(address);
  if (close) return close;
  // Only a socket with a file stays after its process.
  if (process.platform === "linux" || process.platform === "win32" || (await answers(address))) {
    throw new FileInUseError(path);
  }
  rmSync(address, { force: true });
  const closeSecond = await listen(address);
  if (!closeSecond) throw new FileInUseError(path);
  return closeSecond;
}

function addressOf(name: string): string {
  if (process.platform === "linux") return `\0${name}`;
  if (process.platform === "win32") return `\\\\.\\pipe\\${name}`;
  return join(tmpdir(), `${name}.sock`);
}

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
    socket.once("error", () => resolve(false));
  });
}
