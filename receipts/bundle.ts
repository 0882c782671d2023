import { build } from "esbuild";

/**
 * A module of ours and all that it imports as one ES module, for Node 20 and for browsers alike. Throws where anything
 * in it needs Node.
 */
export async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    // Neither a browser nor Node is assumed: an import of `node:` is then an error of the build.
    platform: "neutral",
    mainFields: ["browser", "module", "main"],
    conditions: ["browser"],
    target: ["node20", "chrome120", "firefox115", "safari17"],
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
