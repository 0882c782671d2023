import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Bundles a module and its imports as one ES module for Node 20 and browsers. Throws if any part needs Node.
 *
 * @param rooms the only folders of this repository that the bundle may import. Default: all
 */
export async function bundle(entry: string, rooms?: readonly string[]): Promise<string> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    // A neutral platform makes an import of `node:` an error of the build.
    platform: "neutral",
    mainFields: ["browser", "module", "main"],
    conditions: ["browser"],
    target: ["node20", "chrome120", "firefox115", "safari17"],
    logLevel: "silent",
  });
  // It leaves a process of its own behind, which a program that runs on has no use for.
  await stop();
  const stray = Object.keys(metafile.inputs).find(
    (file) =>
      rooms && !/(^|\/)node_modules\//.test(file) && !rooms.some((room) => file.startsWith(`${room}/`)),
  );
  if (stray) throw new Error(`${entry} takes ${stray}, which is not in ${rooms?.join(", ")}.`);
  return outputFiles[0]?.text ?? "";
}
