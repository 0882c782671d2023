// Part of npm run check: the rules of English that a program can count, for comments, docstrings and documents.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The most words of a sentence. Prose aims at 20; a list of names may need a few more. */
const mostWords = 28;

const rules: [fault: string, pattern: RegExp][] = [
  ["the sentence has no subject first", /^(?:What|Who|Whoever|Whom|Whose|Where|Of|That|Such)\b(?!'s)/],
  [
    "the sentence speaks of the past",
    /\b(?:no longer|formerly|previously|used to be|in the past|up to now|older (?:accounts|versions))\b/i,
  ],
  [
    "a private picture stands for the field's word",
    /\b(?:purses?|breaths?|breathes?|shelf|shelves|agenda|heeds?|heeded|repute|untold|rehearse[ds]?|whoever|whomever)\b/i,
  ],
];

const root = fileURLToPath(new URL("..", import.meta.url));

type Text = { line: number; text: string };

/** Comments of TypeScript and the like; a run of line comments is one text, and so is each tag of a docstring. */
function commentsOf(code: string): Text[] {
  const texts: Text[] = [];
  const lines = code.split("\n");
  let open: { line: number; parts: string[] } | null = null;
  let inBlock = false;
  const close = () => {
    if (open) texts.push({ line: open.line, text: open.parts.join("\n") });
    open = null;
  };
  lines.forEach((raw, index) => {
    const line = raw.trim();
    const add = (part: string) => {
      open ??= { line: index + 1, parts: [] };
      open.parts.push(part);
    };
    if (inBlock || line.startsWith("/*")) {
      const part = line
        .replace(/^\/\*+/, "")
        .replace(/\*+\/.*$/, "")
        .replace(/^\*\s?/, "")
        .trim();
      inBlock = !line.includes("*/");
      if (part.startsWith("@") || part === "") close();
      if (part !== "")
        add(part.replace(/^@(?:param\s+[\w.]+|returns|throws(?:\s+\w+)?|deprecated|example|see)\s*/, ""));
      if (!inBlock) close();
    } else if (/^(?:\/\/|#)(?!!)\s/.test(line)) add(line.replace(/^(?:\/\/|#)\s*/, ""));
    else close();
  });
  close();
  return texts;
}

/** Paragraphs and list items of Markdown, without code, tables and headings. */
function proseOf(page: string): Text[] {
  const texts: Text[] = [];
  let open: { line: number; parts: string[] } | null = null;
  let isCode = false;
  const close = () => {
    if (open) texts.push({ line: open.line, text: open.parts.join("\n") });
    open = null;
  };
  page.split("\n").forEach((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const isProse = !isCode && !/^\s*(?:```|\||#|$|<| {4})/.test(line);
    if (!isProse || /^\s*(?:[-*]|\d+\.)\s/.test(line)) close();
    if (!isProse) return;
    open ??= { line: index + 1, parts: [] };
    open.parts.push(line.replace(/^\s*(?:[-*]|\d+\.)\s/, ""));
  });
  close();
  return texts;
}

/** Finds the faults of a text, each as `file:line: fault: sentence`. */
export function findFaults(file: string, content: string): string[] {
  const texts = file.endsWith(".md") ? proseOf(content) : commentsOf(content);
  return texts.flatMap(({ line, text }) => {
    const plain = text
      .replaceAll(/`[^`]*`/g, "`x`")
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll(/https?:\S+/g, "URL");
    const sentences = plain.replaceAll("\n", " ").split(/(?<=[.!?:;])\s+(?=[A-Z`"])/);
    return sentences.flatMap((sentence) => {
      const words = sentence.split(/\s+/).filter(Boolean).length;
      const found = rules.filter(([, pattern]) => pattern.test(sentence)).map(([fault]) => fault);
      if (words > mostWords) found.push(`the sentence has ${words} words, at most ${mostWords}`);
      return found.map((fault) => `${file}:${line}: ${fault}: ${sentence.slice(0, 90)}`);
    });
  });
}

function main(): void {
  const listed = execFileSync("git", ["ls-files", ...process.argv.slice(2)], { cwd: root, encoding: "utf8" });
  const files = listed
    .split("\n")
    .filter(
      (file) =>
        /\.(?:ts|tsx|mjs|cjs|go|py|md)$/.test(file) && !/generated|^abis\/|^scripts\/english/.test(file),
    );
  const faults = files.flatMap((file) => findFaults(file, readFileSync(join(root, file), "utf8")));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) console.error(`${faults.length} sentences. docs/CONTRIBUTING.md has the rules.`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

if (import.meta.main) main();
