import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Parts } from "./parts.ts";

// The machines of a cluster are network namespaces on one bridge. They lie in a network, mount and process namespace of
// their own, so nothing reaches the real network, and all of it ends with the first process.

/** The variable that marks a process inside these namespaces. */
const marker = "EARNEST_CLUSTER_INSIDE";
const network = "10.45.0";
/** The machine of this process: the chain and the programs that trade. */
export const hub = "hub";

export const isInside = () => process.env[marker] === "1";

/** The folders of clusters. PostgreSQL's user reaches them, unlike one in root's home. */
const folders = "/var/tmp";
/** The variable with the process outside, which removes the folders of a run that a signal ended. */
const runVariable = "EARNEST_CLUSTER_RUN";
const prefixOf = (run: string | number) => `earnest-cluster-${run}-`;

/** Makes the folder of a cluster. */
export function makeFolder(): string {
  return mkdtempSync(join(folders, prefixOf(process.env[runVariable] ?? process.pid)));
}

/** Removes the folders of a run, whose processes and mounts have ended with its namespaces. */
export function removeFolders(run: number, from = folders): void {
  for (const name of readdirSync(from))
    if (name.startsWith(prefixOf(run))) rmSync(join(from, name), { recursive: true, force: true });
}

/** Runs this program again inside new namespaces, and returns its exit code. */
export function runInside(env: Record<string, string | undefined> = {}): Promise<number> {
  const [node = "", ...args] = process.argv;
  // A shell is the first process there, because the first process must reap orphans.
  const first = ["sh", "-c", '"$@"; exit $?', "sh", node, ...process.execArgv, ...args];
  const flags = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const child = spawn("unshare", [...flags, ...first], {
    stdio: "inherit",
    env: { ...process.env, ...env, [marker]: "1", [runVariable]: String(process.pid) },
  });
  let isStopped = false;
  // A terminal sends Ctrl-C to the program inside, too.
  process.on("SIGINT", () => {
    isStopped = true;
  });
  process.once("SIGTERM", () => {
    isStopped = true;
    child.kill("SIGKILL");
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      if (isStopped) removeFolders(process.pid);
      resolve(code ?? 1);
    });
  });
}

export type ClusterNetwork = ReturnType<typeof createNetwork>;

/** Creates the machines, each with its address, and a hosts file with their names. */
export function createNetwork(names: readonly string[], { folder, parts }: { folder: string; parts: Parts }) {
  const addresses = new Map(names.map((name, at) => [name, `${network}.${at + 11}`]));
  addresses.set(hub, `${network}.1`);
  runProgram("mkdir", ["-p", "/run/netns"]);
  runProgram("mount", ["-t", "tmpfs", "tmpfs", "/run/netns"]);
  const hosts = [...addresses].map(([name, address]) => `${address} ${name}\n`);
  writeFileSync(join(folder, "hosts"), `127.0.0.1 localhost\n${hosts.join("")}`);
  runProgram("mount", ["--bind", join(folder, "hosts"), "/etc/hosts"]);
  runProgram("ip", ["link", "set", "lo", "up"]);
  runProgram("ip", ["link", "add", "hub", "type", "bridge"]);
  runProgram("ip", ["addr", "add", `${network}.1/24`, "dev", "hub"]);
  runProgram("ip", ["link", "set", "hub", "up"]);
  for (const [at, name] of names.entries()) {
    const link = `link-${at}`;
    runProgram("ip", ["netns", "add", name]);
    runProgram("ip", ["link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name]);
    runProgram("ip", ["link", "set", link, "master", "hub", "up"]);
    runProgram("ip", ["-n", name, "addr", "add", `${addresses.get(name)}/24`, "dev", "eth0"]);
    for (const device of ["eth0", "lo"]) runProgram("ip", ["-n", name, "link", "set", device, "up"]);
    // HAProxy listens on port 80 and does not run as root.
    runProgram("ip", ["netns", "exec", name, "sysctl", "-qw", "net.ipv4.ip_unprivileged_port_start=80"]);
  }

  const addressesOf = (machines: readonly string[]) =>
    `{ ${machines.map((machine) => addresses.get(machine)).join(", ")} }`;
  const within = (name: string) => ["nsenter", `--net=/run/netns/${name}`];

  /** Replaces the packet filter of a machine. */
  function filter(name: string, rules: { input?: string; output: string }): void {
    const chain = (hook: string, rule: string) =>
      `chain ${hook} {\n type filter hook ${hook} priority 0;\n ${rule}\n }\n`;
    const chains = Object.entries(rules).map(([hook, rule]) => chain(hook, rule));
    const [file = "", ...args] = [...within(name), parts.nft, "-f", "-"];
    runProgram(file, args, {
      input: `flush ruleset\ntable inet faults {\n${chains.join("")}}\n`,
      env: parts.env,
    });
  }

  return {
    /** A command before a program that runs on this machine, as this user if one is given. */
    on: (name: string, user?: { uid: number; gid: number }) => [
      ...within(name),
      ...(user ? ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"] : []),
    ],
    /** Cuts a machine off from others, both ways. */
    cut: (name: string, from: readonly string[]) =>
      filter(name, {
        input: `ip saddr ${addressesOf(from)} drop`,
        output: `ip daddr ${addressesOf(from)} drop`,
      }),
    /** Drops a part of the packets that a machine sends to others. The way back stays whole. */
    lose: (name: string, to: readonly string[], percent: number) =>
      filter(name, { output: `ip daddr ${addressesOf(to)} numgen random mod 100 < ${percent} drop` }),
    heal: (name: string) => filter(name, { output: "accept" }),
    /** Signals every process of a machine. */
    signal(name: string, signal: NodeJS.Signals): void {
      for (const pid of runProgram("ip", ["netns", "pids", name]).split("\n").filter(Boolean)) {
        try {
          process.kill(Number(pid), signal);
        } catch {
          // The process has just ended.
        }
      }
    },
    /** Removes all machines. Another network may be created then. */
    remove(): void {
      for (const name of names) runProgram("ip", ["netns", "delete", name]);
      runProgram("ip", ["link", "delete", "hub"]);
      for (const path of ["/etc/hosts", "/run/netns"]) runProgram("umount", ["--lazy", path]);
    },
    pids: (name: string) => runProgram("ip", ["netns", "pids", name]).split("\n").filter(Boolean).map(Number),
  };
}

export function runProgram(
  file: string,
  args: string[],
  options: { input?: string; env?: Record<string, string>; cwd?: string } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    encoding: "utf8",
    cwd: options.cwd,
    input: options.input,
    env: { ...process.env, ...options.env },
  });
  if (error) throw new Error(`${file} could not be run: ${error.message}`);
  if (status !== 0) throw new Error(`${file} ${args.join(" ")} failed: ${stdout}${stderr}`);
  return stdout;
}
