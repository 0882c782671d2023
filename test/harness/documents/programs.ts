import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { root } from "../programs.ts";

const run = promisify(execFile);
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** The source of an exported entry, from the root: `protocol/tlog/index.ts` for `earnest/tlog`. */
const sourceOfPart = (part: string): string =>
  exports[`./${part}`].types.replace("./dist/types/", "").replace(/\.d\.ts$/, ".ts");

/** A reader's folder, in which the documents' commands and programs run. */
export function openFolder(env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "earnest-documents-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  let programs = 0;

  async function print(file: string, args: string[], more: Record<string, string>): Promise<string> {
    const { stdout } = await run(file, args, {
      cwd: folder,
      env: { ...process.env, XDG_STATE_HOME: folder, ...env, ...more },
      // Ends a command that waits without end.
      timeout: 300_000,
    });
    return stdout;
  }

  return {
    folder,
    /** Runs shell commands. Returns their output. */
    runShell: (text: string, more: Record<string, string> = {}) => print("bash", ["-ec", text], more),
    /**
     * Runs a JavaScript or TypeScript program, whose imports of Earnest are the sources. Returns its
     * output.
     */
    async runProgram(text: string, more: Record<string, string> = {}): Promise<string> {
      const sourceOf = (path: string) => JSON.stringify(pathToFileURL(join(root, path)).href);
      const code = text
        .replaceAll(/"earnest\/(\w+)"/g, (_, part) => sourceOf(sourceOfPart(part)))
        .replaceAll(/"earnest-client\/(\w+)"/g, (_, part) => sourceOf(`clients/typescript/src/${part}.ts`));
      const file = join(folder, `program-${++programs}.mts`);
      writeFileSync(file, code);
      return print(process.execPath, [file], more);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
