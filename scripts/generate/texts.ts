// Writes console/src/text/de.po, with an entry for each text of the console, of the pages that the service writes and of its
// mails, and the compiled form de.ts:
// `node scripts/generate/texts.ts`. A text without a translation stays English. With `--check`, fails if the files differ
// from the sources, or if a text has no translation.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type CompiledMessage, compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import { toolPath } from "../../tools/build/tools.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = "console/src/text";
const isCheck = process.argv.includes("--check");
const draft = mkdtempSync(join(tmpdir(), "earnest-texts-"));

/** The settings of lingui. The English text of a message is its id, so English has no catalogue. */
const settings = {
  rootDir: root,
  sourceLocale: "en",
  locales: ["de"],
  catalogs: [
    {
      path: join(draft, "{locale}"),
      include: ["console/src", "api", "jobs/mail"].map((source) => join(root, source)),
    },
  ],
  format: "po",
  formatOptions: { origins: false, explicitIdAsDefault: true },
  orderBy: "messageId",
  compileNamespace: "ts",
};

try {
  const config = join(draft, "lingui.config.json");
  writeFileSync(config, JSON.stringify(settings));
  if (existsSync(join(root, folder, "de.po")))
    copyFileSync(join(root, folder, "de.po"), join(draft, "de.po"));
  run("extract", "--clean", "--config", config);
  finish("de.po");
  run("compile", ...(isCheck ? ["--strict", "--verbose"] : []), "--config", config);
  const { messages } = (await import(pathToFileURL(join(draft, "de.ts")).href)) as {
    messages: Record<string, CompiledMessage>;
  };
  const faults = Object.entries(messages).filter(
    ([id, message]) => placeholders(id) !== placeholders(message),
  );
  for (const [id] of faults) console.error(`The placeholders of the translation differ: ${id}`);
  if (faults.length > 0) throw new Error(`${folder}/de.po has translations that lack or add placeholders.`);
  finish("de.ts");
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  rmSync(draft, { recursive: true, force: true });
}

/** Runs a command of lingui on one thread. */
function run(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(toolPath("lingui"), [...args, "--workers", "1"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
}

/** Writes a file of the draft to its place, or compares both. */
function finish(name: string): void {
  const place = join(root, folder, name);
  if (!isCheck) copyFileSync(join(draft, name), place);
  else if (readFileSync(join(draft, name), "utf8") !== readFileSync(place, "utf8")) {
    throw new Error(`${folder}/${name} differs from the texts of console/src, api and jobs/mail.`);
  }
}

/** Returns the names of a message's values, and the tags of its elements, each once and sorted. */
function placeholders(message: string | CompiledMessage): string {
  const found = new Set<string>();
  const read = (tokens: unknown): void => {
    for (const token of (Array.isArray(tokens) ? tokens : [tokens]) as unknown[]) {
      if (typeof token === "string") for (const [tag] of token.matchAll(/<\/?\w+\/?>/g)) found.add(tag);
      else if (Array.isArray(token)) readValue(token);
    }
  };
  const readValue = ([name, , cases]: unknown[]): void => {
    found.add(String(name));
    if (cases instanceof Object) for (const one of Object.values(cases)) read(one);
  };
  read(typeof message === "string" ? compileMessageOrThrow(message) : message);
  return [...found].sort().join(" ");
}
