// Builds the TypeScript client's package and checks it: its manifest and files by publint, and its types for each kind of
// compiler by "Are the types wrong?".

import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkPackage, Package } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const root = fileURLToPath(new URL("..", import.meta.url));
const client = join(root, "clients", "typescript");
const folder = join(root, "node_modules", ".cache", `package-${process.pid}`);

/** The resolutions that are not checked: the package is only for `import`, as its page says. */
const uncheckedResolutions: readonly string[] = ["node10", "node16-cjs"];

async function findFaults(): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", "README.md"]) cpSync(join(client, name), join(folder, name));
  const build = spawnSync(process.execPath, [join(client, "build.ts"), join(folder, "dist")], {
    encoding: "utf8",
  });
  if (build.status !== 0) return [`The package cannot be built:\n${build.stdout}${build.stderr}`];
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = globSync("**/*", { cwd: folder }).filter((name) => statSync(join(folder, name)).isFile());
  const read = (name: string) => readFileSync(join(folder, name));

  const { messages } = await publint({
    pkgDir: folder,
    pack: { files: files.map((name) => ({ name: join(folder, name), data: read(name) })) },
    strict: true,
  });
  const types = await checkPackage(
    new Package(
      Object.fromEntries(files.map((name) => [`/node_modules/${manifest.name}/${name}`, read(name)])),
      manifest.name,
      manifest.version,
    ),
  );
  const problems = types.types ? types.problems : ["It has no types."];
  return [
    ...messages.map((message) => `publint: ${formatMessage(message, manifest, { color: false })}`),
    ...problems
      .filter(
        (one) =>
          typeof one === "string" ||
          !("resolutionKind" in one && uncheckedResolutions.includes(one.resolutionKind)),
      )
      .map((one) => `types: ${JSON.stringify(one)}`),
  ];
}

try {
  const faults = await findFaults();
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
