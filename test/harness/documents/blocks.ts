import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../programs.ts";

/** A block of code in a document: fenced, or indented by four spaces. */
export type Block = {
  /**
   * The file, the heading and, from the second block under the heading on, its number: `docs/api.md:
   * Lists`, `docs/log.md: Proofs 2`.
   */
  key: string;
  file: string;
  line: number;
  /** The language of the fence; empty without one. */
  language: string;
  text: string;
};

/** Every document of the repository. */
export const documents: string[] = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "");

/** Returns the blocks of a document, in order. */
export function readBlocks(file: string): Block[] {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  const counts = new Map<string, number>();
  const blocks: Block[] = [];
  let heading = "";
  const keep = (language: string, line: number, code: string[]) => {
    const count = (counts.get(heading) ?? 0) + 1;
    counts.set(heading, count);
    const key = `${file}: ${heading}${count > 1 ? ` ${count}` : ""}`;
    blocks.push({ key, file, line, language, text: `${code.join("\n").trimEnd()}\n` });
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = /^( *)```(\w*)$/.exec(line);
    heading = /^#+ (.+)$/.exec(line)?.[1] ?? heading;
    if (fence) {
      const [, indent = "", language = ""] = fence;
      const end = lines.indexOf(`${indent}\`\`\``, at + 1);
      if (end < 0) throw new Error(`${file}:${at + 1}: the block has no end.`);
      const code = lines.slice(at + 1, end).map((text) => text.slice(indent.length));
      keep(language, at + 1, code);
      at = end;
    } else if (line.startsWith("    ") && lines[at - 1]?.trim() === "") {
      const from = at;
      while (at + 1 < lines.length && /^( {4}|$)/.test(lines[at + 1] ?? "")) at++;
      keep(
        "",
        from + 1,
        lines.slice(from, at + 1).map((text) => text.slice(4)),
      );
    }
  }
  return blocks;
}

/** The text of one block, or of a program of `docs/examples/`. */
export function blockOf(key: string): string {
  if (key.startsWith("docs/examples/")) return readFileSync(join(root, key), "utf8");
  const found = readBlocks(key.split(": ")[0] ?? "").find((block) => block.key === key);
  if (!found) throw new Error(`No document has the block "${key}".`);
  return found.text;
}

/**
 * Returns the rows of the tables with this first line, as in `| code | meaning |`; each row as its cells.
 */
export function readTable(file: string, head: string): string[][] {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  const rows = lines.flatMap((line, at) => {
    if (line !== head) return [];
    const after = lines.slice(at + 2);
    const end = after.findIndex((one) => !one.startsWith("|"));
    return after.slice(0, end < 0 ? undefined : end);
  });
  if (rows.length === 0) throw new Error(`${file} has no table that begins with ${head}.`);
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Returns the words between backticks in a text. */
export const wordsOf = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => String(word));
