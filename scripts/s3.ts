// npm run test:s3: runs the tests of files against a real server that speaks S3, VersityGW. Go builds it from its module once. It is
// apart from npm test, because the build takes minutes.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findFreePort, isListening, startChild, waitUntilReady } from "../tools/stack/process.ts";
import { printTotal, runVitest } from "./test.ts";

const server = "github.com/versity/versitygw/cmd/versitygw@v1.8.0";
const folder = fileURLToPath(new URL("../node_modules/.cache/s3", import.meta.url));
const program = join(folder, "versitygw");
const port = await findFreePort();

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
const child = await startChild({
  name: "the S3 server",
  file: program,
  args: [...settings, "posix", "--sidecar", attributes, objects],
  logFile: join(data, "server.log"),
});
try {
  const endpoint = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, async () => ((await isListening(port)) ? true : null));
  process.env.EARNEST_TEST_S3 = endpoint;
  printTotal([await runVitest(["test/api/files"])]);
} finally {
  await child.stop(0);
  rmSync(data, { recursive: true, force: true });
}
