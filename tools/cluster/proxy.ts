import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Child, isListening, startChild, waitUntilReady } from "../stack/process.ts";

/** A port of the proxy, and the servers behind it. Connections go to servers whose check answers 200. */
export type Front = {
  name: string;
  /** `tcp` cuts the connections to a server that fails its check, so that nobody queries a demoted primary */
  mode: "tcp" | "http";
  port: number;
  /** the path of each server's health check */
  check: string;
  servers: { name: string; port: number; checkPort: number }[];
};

/** Milliseconds between two checks of a server. Two failures take a server out; one success brings it back. */
export const checkEvery = 200;
export const failuresUntilOut = 2;

/** Finds an installed daemon in the PATH and in the `sbin` folders. Returns null if it is not installed. */
export function findDaemon(name: string): string | null {
  const found = spawnSync("sh", ["-c", `PATH=$PATH:/usr/sbin:/usr/local/sbin; command -v ${name}`], {
    encoding: "utf8",
  });
  return found.status === 0 ? found.stdout.trim() : null;
}

/** Starts HAProxy, or a plain proxy with the same checks if HAProxy is not installed. Returns once all fronts listen. */
export async function startProxy(
  fronts: Front[],
  folder: string,
  { haproxy, started }: { haproxy: string | null; started: (child: Child) => void },
): Promise<Child> {
  const logFile = join(folder, "proxy.log");
  const plain = fileURLToPath(new URL("./plain-proxy.ts", import.meta.url));
  const settings = join(folder, "haproxy.cfg");
  if (haproxy) writeFileSync(settings, describeForHaproxy(fronts));
  const child = await startChild({
    name: "the proxy",
    ...(haproxy
      ? { file: haproxy, args: ["-db", "-f", settings] }
      : { file: process.execPath, args: [plain, JSON.stringify(fronts)] }),
    env: { NODE_NO_WARNINGS: "1" },
    logFile,
  });
  started(child);
  await waitUntilReady(child, async () => {
    const listening = await Promise.all(fronts.map(({ port }) => isListening(port)));
    return listening.every(Boolean) ? true : null;
  });
  return child;
}

/** The settings of HAProxy 2.6 or newer that docs/cluster.md explains. */
export function describeForHaproxy(fronts: Front[]): string {
  const parts = fronts.map(({ name, mode, port, check, servers }) =>
    [
      `listen ${name}`,
      `  bind 127.0.0.1:${port}`,
      `  mode ${mode}`,
      "  option httpchk",
      // By default HAProxy sends HTTP/1.0 without a Host header, which the API refuses.
      `  http-check send meth GET uri ${check} ver HTTP/1.1 hdr Host localhost`,
      "  http-check expect status 200",
      ...(mode === "http" ? ["  option forwardfor", "  option redispatch 1", "  retries 3"] : []),
      `  default-server check inter ${checkEvery} fall ${failuresUntilOut} rise 1${
        // The API closes a connection after five idle seconds: the proxy closes it sooner.
        mode === "tcp" ? " on-marked-down shutdown-sessions" : " pool-purge-delay 2s"
      }`,
      ...servers.map((server) => `  server ${server.name} 127.0.0.1:${server.port} port ${server.checkPort}`),
    ].join("\n"),
  );
  const defaults = [
    "defaults",
    "  timeout connect 2s",
    "  timeout check 1s",
    // A stream of events gives a sign of life every 15 seconds; a session of LISTEN may be silent for long.
    "  timeout client 1h",
    "  timeout server 1h",
    "  timeout http-keep-alive 4s",
  ];
  return `${[["global", "  maxconn 4000"].join("\n"), defaults.join("\n"), ...parts].join("\n\n")}\n`;
}
