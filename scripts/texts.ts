// Part of npm run check: each text of console/src that a person reads is in the catalogues.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";

const folder = "console/src";

/** The compiled catalogue, and samples of code. */
const unread = new Set([join("text", "de.ts"), join("reference", "samples.ts")]);

/** Names that are the same in every language, and values of the browser's interfaces. */
const names = new Set(
  "Earnest OpenAPI TypeScript Python Go MCP JSON English Deutsch openapi.json Enter Escape Home End Tab Accept".split(
    " ",
  ),
);

/** The properties of an element or a component that a person reads or hears. */
const readProperties =
  /^(?:alt|aria-(?:label|description|roledescription|valuetext)|description|heading|help|intro|label|placeholder|title|what)$/;

/** A capitalised word, or a sentence. */
const prose = /^[A-Z][a-z'’]+(?:[ ,.:;!?…].*|$)|^\S+(?: \S+)+[.!?…:]$/su;

/** A template with a word beside its values. A template of several lines is code. */
const words = /^(?!curl )(?!.*\n)(?:.* )?\p{Ll}{2,}(?:[ ,;:!?]|\.? |\.?$)/u;

/** Calls whose arguments no person reads. */
const unreadCalls = /^(?:console\.\w+|\w+\.(?:has|get|set|append|startsWith|endsWith|includes))$/;

type Node = { type: string; start: number; end: number; [key: string]: unknown };

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** Returns the texts of a file that are in no catalogue, each with its line. */
export function findTexts(file: string, code: string): string[] {
  const { program, errors } = parseSync(file, code);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const faults: string[] = [];
  const source = (node: unknown): string => (isNode(node) ? code.slice(node.start, node.end) : "");

  const visit = (node: Node, isRead: boolean): void => {
    if (isSkipped(node, source)) return;
    const text = textOf(node)?.replaceAll(/\s+/g, " ").trim();
    const isText = text !== undefined && /\p{L}{2}/u.test(text) && !names.has(text);
    const isProse =
      prose.test(text ?? "") || (node.type === "TemplateLiteral" && words.test(textOf(node) ?? ""));
    if (isText && (isRead || node.type === "JSXText" || isProse)) {
      faults.push(`${file}:${code.slice(0, node.start).split("\n").length}: ${text}`);
    }
    const isReadHere = node.type === "JSXAttribute" && readProperties.test(source(node.name));
    const catalogued = /^i18n\.(?:t|_)$/.test(source(node.callee)) ? [node.arguments].flat()[0] : null;
    for (const child of Object.values(node).flat()) {
      if (isNode(child) && child !== catalogued) visit(child, isReadHere && child.type === "Literal");
    }
  };
  visit(program as unknown as Node, false);
  return faults;
}

/** Whether a node has no text to translate: an import, a type, a comparison, an id, or code. */
function isSkipped(node: Node, source: (node: unknown) => string): boolean {
  if (/^(?:Import|ExportAll)|^TS(?!AsExpression|SatisfiesExpression|NonNull)/.test(node.type)) return true;
  if (node.type === "BinaryExpression") return /^[=!]==?$/.test(String(node.operator));
  if (node.type === "JSXAttribute") return /^(?:className|id|key)$/.test(source(node.name));
  if (node.type === "JSXElement") return /^<(?:code|kbd)\b/.test(source(node));
  return node.type === "CallExpression" && unreadCalls.test(source(node.callee));
}

/** Returns the text of JSX, a string or a template. Braces stand for the values of the template. */
function textOf(node: Node): string | undefined {
  if (node.type === "TemplateLiteral") {
    return (node.quasis as { value: { raw: string } }[]).map(({ value }) => value.raw).join("{}");
  }
  const isText = node.type === "JSXText" || (node.type === "Literal" && typeof node.value === "string");
  return isText ? String(node.value) : undefined;
}

if (import.meta.main) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const faults = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !unread.has(name))
    .sort()
    .flatMap((name) => findTexts(join(folder, name), readFileSync(join(root, folder, name), "utf8")));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    console.error(`${faults.length} texts are in no catalogue: use i18n.t("…") of console/src/text/i18n.ts.`);
    process.exitCode = 1;
  }
}
