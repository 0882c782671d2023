// Part of npm run check: checks that every path, link and npm command in docs and comments exists, and that the README's
// list of folders is complete.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter(Boolean);
const files = new Set(tracked);
const folders = new Set(
  tracked.flatMap((file) => {
    const parts = file.split("/").slice(0, -1);
    return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  }),
);
const topFolders = [...folders].filter((folder) => !folder.includes("/") && !folder.startsWith("."));
const commands = new Set(
  Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts as Record<string, string>),
);

const endings = "ts|tsx|mjs|cjs|js|sol|md|json|tree|sql|py|go|yml|yaml|toml|css|html|service|target|png";
const path = new RegExp(
  String.raw`(?<![\w/.@:-])((?:${topFolders.join("|")})/[\w./@-]+\.(?:${endings}))(?![\w/-])`,
  "g",
);
/** A folder between backticks, as in `jobs/chain/`, relative to the root or to the page. */
const folderName = new RegExp(String.raw`\x60((?:${topFolders.join("|")})(?:/[\w.-]+)*)/\x60`, "g");
const link = /\]\(([^)\s]+)\)/g;
const command = /\bnpm run (?:-s )?([a-z][\w-]*(?::[\w-]+)*)/g;
const comment = /(?:^|\s)\/\/.*$|^\s*\/?\*.*$/;

/** Returns the anchor of a Markdown heading. */
function anchorOf(heading: string): string {
  return heading
    .replaceAll(/`|\[|\]\([^)]*\)|\*/g, "")
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

function anchorsOf(file: string): Set<string> {
  const text = readFileSync(join(root, file), "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
  return new Set([...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchorOf(String(heading))));
}

function checkLink(file: string, target: string): string | null {
  if (/^[a-z]+:/i.test(target)) return null;
  const [place = "", anchor] = target.split("#");
  const linked = place === "" ? file : normalize(join(dirname(file), place)).replace(/\/$/, "");
  if (!files.has(linked) && !folders.has(linked)) return `links to ${target}, which does not exist`;
  if (anchor && linked.endsWith(".md") && !anchorsOf(linked).has(anchor)) {
    return `links to ${target}, and ${linked} has no such heading`;
  }
  return null;
}

function checkLine(file: string, line: string): string[] {
  const isText = file.endsWith(".md");
  const faults: (string | null)[] = [];
  for (const [, named = ""] of line.matchAll(path)) {
    if (!files.has(named)) faults.push(`names ${named}, which does not exist`);
  }
  for (const [, named = ""] of line.matchAll(folderName)) {
    if (!folders.has(named) && !folders.has(join(dirname(file), named)))
      faults.push(`names ${named}/, which does not exist`);
  }
  for (const [, named = ""] of line.matchAll(command)) {
    if (!commands.has(named)) faults.push(`names \`npm run ${named}\`, which package.json does not have`);
  }
  if (!isText && /\((?:design|spec)[ ,]/.test(line))
    faults.push("cites a document that is not in the repository");
  if (isText) for (const [, target = ""] of line.matchAll(link)) faults.push(checkLink(file, target));
  return faults.filter((fault) => fault !== null);
}

let count = 0;
const [, list = ""] = readFileSync(join(root, "README.md"), "utf8").split("## How it is built");
for (const folder of topFolders) {
  if (new RegExp(`^ {4}${folder}/`, "m").test(list)) continue;
  count += 1;
  console.log(`README.md does not say what ${folder}/ is for`);
}
for (const file of tracked) {
  if (!/\.(md|ts|tsx|mjs|cjs|sol)$/.test(file)) continue;
  const isText = file.endsWith(".md");
  for (const [at, line] of readFileSync(join(root, file), "utf8").split("\n").entries()) {
    const read = isText ? line : comment.exec(line)?.[0];
    if (read === undefined) continue;
    for (const fault of checkLine(file, read)) {
      count += 1;
      console.log(`${file}:${at + 1} ${fault}`);
    }
  }
}
if (count > 0) console.log(`${count} references are wrong or missing.`);
process.exitCode = count > 0 ? 1 : 0;
