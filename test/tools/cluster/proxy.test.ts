import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Front, startProxy } from "../../../tools/cluster/proxy.ts";
import { type Child, findFreePort } from "../../../tools/stack/process.ts";

const folder = mkdtempSync(join(tmpdir(), "earnest-proxy-"));
const children: Child[] = [];
afterAll(async () => {
  await Promise.all(children.map((child) => child.stop(100)));
  rmSync(folder, { recursive: true, force: true });
});

test("a proxy that is polled while it begins to listen gets each of its ports", async () => {
  // Opening this many ports takes a while, during which the proxy is polled.
  const fronts = await Promise.all(
    Array.from({ length: 500 }, async (_, number): Promise<Front> => {
      return { name: `front-${number}`, mode: "tcp", check: "/", port: await findFreePort(), servers: [] };
    }),
  );
  const proxy = await startProxy(fronts, folder, {
    haproxy: null,
    started: (child) => void children.push(child),
  });
  const ended = await Promise.race([proxy.exited, new Promise((resolve) => setImmediate(resolve, "runs"))]);
  expect(ended).toBe("runs");
});
