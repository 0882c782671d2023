import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { environment } from "../../config/config.ts";
import { findParts } from "../../tools/cluster/parts.ts";
import { root } from "../harness/programs.ts";

const ops = (path: string) => join(root, "ops", path);
const read = (path: string) => readFileSync(ops(path), "utf8");
const patroni = z
  .object({
    etcd3: z.object({ hosts: z.array(z.string()) }),
    bootstrap: z.object({
      dcs: z.looseObject({
        ttl: z.int(),
        loop_wait: z.int(),
        retry_timeout: z.int(),
        synchronous_mode: z.literal("quorum"),
      }),
    }),
  })
  .parse(parse(read("patroni/patroni.yml")));
const nodes = ["postgres-1", "postgres-2", "postgres-3"];

test("the times of Patroni fit each other", () => {
  const { ttl, loop_wait, retry_timeout } = patroni.bootstrap.dcs;
  expect(loop_wait + 2 * retry_timeout).toBeLessThanOrEqual(ttl);
});

test("etcd, Patroni, HAProxy and PgBouncer name the same machines and ports", () => {
  const etcd = parseEnv(read("etcd/etcd.env"));
  const members = etcd.ETCD_INITIAL_CLUSTER?.split(",").map((member) => member.split("=")[0]);
  expect(patroni.etcd3.hosts).toEqual(members?.map((member) => `${member}:2379`));
  expect(members).toContain(etcd.ETCD_NAME);
  const haproxy = read("haproxy/haproxy.cfg");
  const serversOf = (name: string) => {
    const section = haproxy.split(/^listen /m).find((part) => part.startsWith(`${name}\n`)) ?? "";
    return [...section.matchAll(/^ {2}server (\S+) (.+)$/gm)].map(([, server, rest]) => [server, rest]);
  };
  const served = nodes.map((node) => [node, `${node}:5432 port 8008`]);
  expect(serversOf("primary")).toEqual(served);
  expect(serversOf("replicas")).toEqual(served);
  const node = parseEnv(read("patroni/patroni.env"));
  expect(nodes).toContain(node.PATRONI_NAME);
  expect(node.PATRONI_RESTAPI_CONNECT_ADDRESS).toBe(`${node.PATRONI_NAME}:8008`);
  expect(node.PATRONI_POSTGRESQL_CONNECT_ADDRESS).toBe(`${node.PATRONI_NAME}:5432`);
  expect(read("pgbouncer/pgbouncer.ini")).toMatch(/^earnest += host=haproxy port=5432 dbname=earnest /m);
});

const found = findParts();
test.runIf("parts" in found)("HAProxy and Patroni accept their files", () => {
  if (!("parts" in found)) return;
  const { parts } = found;
  // The names of the machines are known only there.
  const known = read("haproxy/haproxy.cfg").replace(
    /^( {2}server \S+ )[^:]+/gm,
    (_, start) => `${start}127.0.0.1`,
  );
  const folder = mkdtempSync(join(tmpdir(), "earnest-haproxy-"));
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, known);
  const haproxy = spawnSync(parts.haproxy, ["-c", "-f", file], { env: parts.env, encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect({ status: haproxy.status, stderr: haproxy.stderr }).toMatchObject({ status: 0 });
  const env = { ...process.env, ...parseEnv(read("patroni/patroni.env")) };
  const args = ["--validate-config", "--ignore-listen-port", ops("patroni/patroni.yml")];
  const { stdout, stderr } = spawnSync(parts.patroni, args, { env, encoding: "utf8" });
  // Only the machine itself has these hosts and folders.
  const local = /\/usr\/lib\/postgresql|\/var\/lib\/postgresql|etcd-\d|postgres-1|bin_dir|data_dir|binaries/;
  expect(`${stdout}${stderr}`.split("\n").filter((line) => line && !local.test(line))).toEqual([]);
});

/** The parts of Kubernetes' objects that the manifests use. An unknown field is refused. */
const labels = z.record(z.string(), z.string());
const selector = z.strictObject({ matchLabels: labels });
const quantities = z.strictObject({ cpu: z.string().optional(), memory: z.string().optional() });
const metadata = z.strictObject({ name: z.string(), labels: labels.optional() });
const probe = z.strictObject({
  httpGet: z.strictObject({
    path: z.string(),
    port: z.string(),
    httpHeaders: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  }),
  initialDelaySeconds: z.int().optional(),
  periodSeconds: z.int(),
  failureThreshold: z.int(),
});
const container = z.strictObject({
  name: z.string(),
  image: z.literal("earnest"),
  args: z.array(z.string()),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name: z.string() }) })),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })).optional(),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })).optional(),
  readinessProbe: probe.optional(),
  livenessProbe: probe.optional(),
  resources: z.strictObject({ requests: quantities, limits: quantities }).optional(),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
  }),
  volumeMounts: z
    .array(z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }))
    .optional(),
});
const pod = z.strictObject({
  restartPolicy: z.literal("OnFailure").optional(),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.int(),
    fsGroup: z.int(),
    seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
  }),
  terminationGracePeriodSeconds: z.int().optional(),
  topologySpreadConstraints: z
    .array(
      z.strictObject({
        maxSkew: z.int(),
        topologyKey: z.string(),
        whenUnsatisfiable: z.literal("ScheduleAnyway"),
        labelSelector: selector,
      }),
    )
    .optional(),
  containers: z.array(container),
  volumes: z
    .array(
      z.strictObject({
        name: z.string(),
        secret: z.strictObject({ secretName: z.string(), defaultMode: z.int() }).optional(),
        configMap: z.strictObject({ name: z.string() }).optional(),
      }),
    )
    .optional(),
});
const template = z.strictObject({ metadata: z.strictObject({ labels }).optional(), spec: pod });
const claim = z.strictObject({
  metadata,
  spec: z.strictObject({
    accessModes: z.tuple([z.literal("ReadWriteOnce")]),
    resources: z.strictObject({ requests: z.strictObject({ storage: z.string() }) }),
  }),
});
const workload = { replicas: z.int(), selector, template };
const rolling = z.strictObject({ maxUnavailable: z.int(), maxSurge: z.int() });
const object = <T extends z.ZodRawShape, K extends string>(apiVersion: string, kind: K, spec: T) =>
  z.strictObject({
    apiVersion: z.literal(apiVersion),
    kind: z.literal(kind),
    metadata,
    spec: z.strictObject(spec),
  });
const items = z.array(
  z.discriminatedUnion("kind", [
    object("batch/v1", "Job", { backoffLimit: z.int(), template }),
    object("apps/v1", "Deployment", {
      ...workload,
      strategy: z.strictObject({ rollingUpdate: rolling }).optional(),
    }),
    object("apps/v1", "StatefulSet", {
      ...workload,
      serviceName: z.string(),
      podManagementPolicy: z.literal("Parallel"),
      volumeClaimTemplates: z.array(claim),
    }),
    object("v1", "Service", {
      selector: labels,
      ports: z.array(z.strictObject({ name: z.string(), port: z.int(), targetPort: z.string() })),
    }),
    object("policy/v1", "PodDisruptionBudget", { minAvailable: z.int(), selector }),
  ]),
);

test("the manifests of Kubernetes have the form of its objects, and start the programs as package.json does", () => {
  const list = z
    .strictObject({ apiVersion: z.literal("v1"), kind: z.literal("List"), items })
    .parse(parse(read("kubernetes/earnest.yaml")));
  const { scripts } = JSON.parse(read("../package.json"));
  const started = list.items.flatMap(({ spec }) => {
    if (!("template" in spec)) return [];
    const { template } = spec;
    if ("replicas" in spec) expect(template.metadata?.labels).toEqual(spec.selector.matchLabels);
    const claims =
      "volumeClaimTemplates" in spec ? spec.volumeClaimTemplates.map((one) => one.metadata.name) : [];
    const volumes = [...(template.spec.volumes ?? []).map(({ name }) => name), ...claims];
    return template.spec.containers.map(({ name, args, env, volumeMounts, readinessProbe, ports }) => {
      expect(volumes.sort()).toEqual((volumeMounts ?? []).map((mount) => mount.name).sort());
      for (const { name } of env ?? []) expect(Object.keys(environment.shape)).toContain(name);
      if (readinessProbe) expect(ports?.map((port) => port.name)).toContain(readinessProbe.httpGet.port);
      return [name, `node --import=./config/env-file.ts ${args.join(" ")}`];
    });
  });
  expect(Object.fromEntries(started)).toEqual({
    migrate: scripts.migrate,
    api: scripts.api,
    worker: scripts.worker,
    indexer: scripts.indexer,
  });
});

test("CloudNativePG gets three instances whose commits a standby confirms, and a pooler of theirs", () => {
  const [cluster, pooler, ...others] = parseAllDocuments(read("kubernetes/postgres.yaml")).map((one) =>
    one.toJS(),
  );
  expect(others).toEqual([]);
  expect(cluster).toMatchObject({
    apiVersion: "postgresql.cnpg.io/v1",
    kind: "Cluster",
    spec: { instances: 3, postgresql: { synchronous: { method: "any", number: 1 } } },
  });
  expect(pooler).toMatchObject({
    apiVersion: "postgresql.cnpg.io/v1",
    kind: "Pooler",
    spec: { type: "rw", cluster: { name: cluster.metadata.name }, pgbouncer: { poolMode: "transaction" } },
  });
});
