import { spawn } from "node:child_process";
import { chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { z } from "zod";
import { findBinaries, findOwner, runStatement } from "../stack/postgres.ts";
import { type Child, startChild } from "../stack/process.ts";
import { type ClusterNetwork, runProgram } from "./network.ts";
import type { Parts } from "./parts.ts";
import { supervise } from "./supervised.ts";

export const etcds = ["etcd-1", "etcd-2", "etcd-3"] as const;
export const postgresNodes = ["postgres-1", "postgres-2", "postgres-3"] as const;

/** The passwords of the rehearsal, in place of those of ops/. */
const password = "earnest";
/** Bytes of the disk of a PostgreSQL node. */
const diskSize = "2G";

const ops = (path: string) => fileURLToPath(new URL(`../../ops/${path}`, import.meta.url));

/** The URL of a database by a machine's name and port. */
export const urlOf = (host: string, { port = 5432, database = "earnest", user = "earnest" } = {}) =>
  `postgres://${user}:${password}@${host}:${port}/${database}`;

export type Site = {
  folder: string;
  network: ClusterNetwork;
  parts: Parts;
  /** receives each process as soon as it runs */
  started: (child: Child) => void;
};

const memberSchema = z.object({
  name: z.string(),
  role: z.string(),
  state: z.string(),
  timeline: z.number().optional(),
});
const clusterSchema = z.object({ members: z.array(memberSchema) });

/** Starts etcd, PostgreSQL under Patroni, HAProxy and PgBouncer with the files of ops/. */
export async function startPostgresNodes(site: Site) {
  const { folder, network, parts, started } = site;
  const user = findOwner();
  const owner = { uid: user.uid ?? 0, gid: user.gid ?? 0 };
  const makeOwnFolder = (path: string) => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chownSync(path, owner.uid, owner.gid);
    return path;
  };
  const begin = (machine: string, command: string[], env: Record<string, string>, stopSignal?: "SIGINT") =>
    supervise(machine, async () => {
      const [file = "", ...args] = [...network.on(machine, owner), ...command];
      const child = await startChild({
        name: machine,
        file,
        args,
        env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8", ...env },
        cwd: folder,
        logFile: join(folder, `${machine}.log`),
        ...(stopSignal ? { stopSignal } : {}),
      });
      started(child);
      return child;
    });

  const etcdSettings = readEnv("etcd/etcd.env");
  const members = await Promise.all(
    etcds.map((machine) =>
      begin(machine, [parts.etcd], {
        ...named(etcdSettings, "etcd-1", machine, ["ETCD_INITIAL_CLUSTER"]),
        ETCD_DATA_DIR: makeOwnFolder(join(folder, machine)),
        ...parts.env,
      }),
    ),
  );

  const programs = join(folder, "bin");
  mkdirSync(programs);
  const server = findBinaries(user);
  for (const [from, names] of [
    [server, ["initdb", "postgres", "pg_ctl"]],
    [parts.postgresClients, ["pg_basebackup", "pg_controldata", "pg_isready", "pg_rewind"]],
  ] as const)
    for (const name of names) symlinkSync(join(from, name), join(programs, name));

  const nodeSettings = readEnv("patroni/patroni.env");
  const nodes = await Promise.all(
    postgresNodes.map((machine) => {
      const disk = join(folder, machine);
      mkdirSync(disk);
      runProgram("truncate", ["--size", diskSize, `${disk}.img`]);
      runProgram("mkfs.ext4", ["-q", "-m", "0", `${disk}.img`]);
      runProgram("mount", ["-o", "loop", `${disk}.img`, disk]);
      makeOwnFolder(disk);
      return begin(
        machine,
        [parts.patroni, ops("patroni/patroni.yml")],
        {
          ...withPasswords(named(nodeSettings, "postgres-1", machine)),
          PATRONI_POSTGRESQL_DATA_DIR: makeOwnFolder(join(disk, "data")),
          PATRONI_POSTGRESQL_BIN_DIR: programs,
          PATRONI_POSTGRESQL_PGPASS: join(makeOwnFolder(join(folder, `${machine}-home`)), "pgpass"),
        },
        "SIGINT",
      );
    }),
  );

  const users = join(makeOwnFolder(join(folder, "pgbouncer")), "userlist.txt");
  writeFileSync(users, `"earnest" "${password}"\n`);
  const poolerFile = join(folder, "pgbouncer", "pgbouncer.ini");
  const poolerSettings = readFileSync(ops("pgbouncer/pgbouncer.ini"), "utf8")
    .replace("/etc/pgbouncer/userlist.txt", users)
    .replace(/^max_prepared_statements.*$/m, (line) => (parts.keepsStatements ? line : ""));
  writeFileSync(poolerFile, poolerSettings);
  const haproxy = await begin("haproxy", [parts.haproxy, "-db", "-f", ops("haproxy/haproxy.cfg")], parts.env);
  const pgbouncer = await begin("pgbouncer", [parts.pgbouncer, poolerFile], parts.env);

  const nodesSaid = async () => {
    for (const name of postgresNodes) {
      const answer = await fetch(`http://${name}:8008/cluster`, { signal: AbortSignal.timeout(2000) })
        .then((response) => response.json())
        .catch(() => null);
      const read = clusterSchema.safeParse(answer);
      if (read.success) return read.data.members;
    }
    return [];
  };

  return {
    etcd: members,
    nodes,
    haproxy,
    pgbouncer,
    members: nodesSaid,
    /** The name of the node that holds the leader's key; null if no node answers, or none is the leader. */
    async leader(): Promise<string | null> {
      return (await nodesSaid()).find(({ role }) => role === "leader")?.name ?? null;
    },
    /** Whether one node is the leader and every other one streams from it and counts for its commits. */
    async isWhole(): Promise<boolean> {
      const all = await nodesSaid();
      return (
        all.length === postgresNodes.length &&
        all.some(({ role, state }) => role === "leader" && state === "running") &&
        all.filter(({ role, state }) => role === "quorum_standby" && state === "streaming").length ===
          postgresNodes.length - 1
      );
    },
    /** Creates the database of the service once there is a leader. */
    async createDatabase(): Promise<void> {
      const url = urlOf("haproxy", { database: "postgres", user: "postgres" });
      await untilDone(() => runStatement(url, "select 1"));
      await runStatement(url, `create role earnest login password '${password}'`);
      await runStatement(url, "create database earnest owner earnest");
    },
    /** Moves the leader to the other node as an operator does. Returns once Patroni has done it. */
    async switchOver(from: string, to: string): Promise<void> {
      const args = [
        "-c",
        ops("patroni/patroni.yml"),
        "switchover",
        "--leader",
        from,
        "--candidate",
        to,
        "--force",
      ];
      const child = spawn(parts.patronictl, args, { stdio: "ignore" });
      await new Promise<void>((resolve, reject) =>
        child.once("exit", (code) =>
          code === 0 ? resolve() : reject(new Error(`patronictl ended with ${code}`)),
        ),
      );
    },
    disk: (machine: string) => join(folder, machine),
  };
}
export type PostgresNodes = Awaited<ReturnType<typeof startPostgresNodes>>;

const readEnv = (path: string): Record<string, string> =>
  z.record(z.string(), z.string()).parse(parseEnv(readFileSync(ops(path), "utf8")));

/** Puts the name of a machine in the place of the first one's, except in the settings that name all machines. */
function named(
  settings: Record<string, string>,
  first: string,
  machine: string,
  except: readonly string[] = [],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      key,
      except.includes(key) ? value : value.replaceAll(first, machine),
    ]),
  );
}

const withPasswords = (settings: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [key, key.endsWith("_PASSWORD") ? password : value]),
  );

async function untilDone(attempt: () => Promise<unknown>, timeoutMs = 90_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const error = await attempt().then(
      () => null,
      (reason: unknown) => reason,
    );
    if (error === null) return;
    if (Date.now() > deadline) throw error;
    await sleep(250);
  }
}
