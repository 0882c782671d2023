// npm run test:s3: runs the tests of files against a real server that speaks S3, VersityGW. Go builds it from its module once. It is
// apart from npm test, because the build takes minutes.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runVitest, tell } from "./test.ts";

const server = "github.com/versity/versitygw/cmd/versitygw@v1.8.0";
const folder = fileURLToPath(new URL("../node_modules/.cache/s3", import.meta.url));
const program = join(folder, "versitygw");
const port = 7979;

if (!existsSync(program)) {
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, GOBIN: folder };
  const { status } = spawnSync("go", ["install", server], { env, stdio: "inherit" });
  if (status !== 0) throw new Error("Go could not build the S3 server: the output above has the cause.");
}

const data = mkdtempSync(join(tmpdir(), "earnest-s3-"));
const [objects, attributes] = [join(data, "objects"), join(data, "attributes")];
for (const each of [objects, attributes]) mkdirSync(each);
const settings = ["--access=earnest", "--secret=earnest-secret", `--port=127.0.0.1:${port}`];
const child = spawn(program, [...settings, "posix", "--sidecar", attributes, objects], { stdio: "ignore" });
try {
  const endpoint = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries += 1) {
    if (
      await fetch(endpoint).then(
        () => true,
        () => false,
      )
    )
      break;
    if (tries > 100) throw new Error("The S3 server did not start.");
    await sleep(100);
  }
  process.env.EARNEST_TEST_S3 = endpoint;
  tell([await runVitest(["test/api/files"])]);
} finally {
  child.kill();
  rmSync(data, { recursive: true, force: true });
}
