import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Bundles a module and its imports as one ES module for Node 20 and browsers. Throws if a part needs Node.
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
    // On the neutral platform, an import of `node:` is an error.
    platform: "neutral",
    mainFields: ["browser", "module", "main"],
    conditions: ["browser"],
    target: ["node20", "chrome120", "firefox115", "safari17"],
    logLevel: "silent",
  });
  // esbuild keeps a process, which a long-running program does not need.
  await stop();
  const stray = Object.keys(metafile.inputs).find(
    (file) =>
      rooms && !/(^|\/)node_modules\//.test(file) && !rooms.some((room) => file.startsWith(`${room}/`)),
  );
  if (stray) throw new Error(`${entry} imports ${stray}, which is not in ${rooms?.join(", ")}.`);
  return outputFiles[0]?.text ?? "";
}
