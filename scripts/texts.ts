// Part of npm run check: each text of the console, of a written page or of a mail is in the catalogues.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";

/** The folders and files with texts. */
const sources = [
  "console/src",
  "api/pages",
  "api/accounts/mail-pages.ts",
  "api/http/no-script.ts",
  "api/oauth/fault-page.ts",
  "jobs/mail/event-words.ts",
  "jobs/mail/mail-text.ts",
];

/** The compiled catalogue, and samples of code. */
const unread = new Set(["console/src/text/de.ts", "console/src/reference/samples.ts"]);

/** Names that are the same in every language, and values of the browser's interfaces. */
const names = new Set(
  "Earnest OpenAPI TypeScript Python Go MCP JSON English Deutsch openapi.json chain/status Enter Escape Home End Tab Accept".split(
    " ",
  ),
);

/** The properties of an element or a component that a person reads or hears. */
const readProperties =
  /^(?:alt|aria-(?:label|description|roledescription|valuetext)|description|heading|help|intro|label|placeholder|title|what)$/;

/** A capitalised word, or a sentence. */
const prose = /^[A-Z][a-z'’]+(?:[ ,.:;!?…].*|$)|^\S+(?: \S+)+[.!?…:]$/su;

/** A template with a word beside its values. A template of several lines is code. */
const words = /^(?!curl |https?:)(?!.*\n)(?:.* )?\p{Ll}{2,}(?:[ ,;:!?]|\.? |\.?$)/u;

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

  const report = (node: Node, text: string): string =>
    `${file}:${code.slice(0, node.start).split("\n").length}: ${text}`;

  const visit = (node: Node, isRead: boolean): void => {
    if (isSkipped(node, source)) return;
    const text = textOf(node)?.replaceAll(/\s+/g, " ").trim();
    const isHtml = node.type === "TaggedTemplateExpression" && source(node.tag) === "html";
    if (isHtml) faults.push(...findWritten(node.quasi as Node).map((found) => report(node, found)));
    const isText = text !== undefined && /\p{L}{2}/u.test(text) && !names.has(text);
    const isProse =
      prose.test(text ?? "") || (node.type === "TemplateLiteral" && words.test(textOf(node) ?? ""));
    if (isText && (isRead || node.type === "JSXText" || isProse)) {
      faults.push(report(node, text));
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

/** Whether a node has no text to translate: an import, a type, a type of schema.org, a comparison, an id, or code. */
function isSkipped(node: Node, source: (node: unknown) => string): boolean {
  if (/^(?:Import|ExportAll)|^TS(?!AsExpression|SatisfiesExpression|NonNull)/.test(node.type)) return true;
  if (node.type === "BinaryExpression") return /^[=!]==?$/.test(String(node.operator));
  if (node.type === "JSXAttribute") return /^(?:className|id|key)$/.test(source(node.name));
  if (node.type === "Property" && source(node.key) === '"@type"') return true;
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

/** Returns the texts between the tags of a template of HTML. */
function findWritten(template: Node): string[] {
  return (textOf(template) ?? "")
    .replaceAll(/<style>.*?<\/style>/gs, "")
    .split(/<[^>]*>|\{\}/)
    .map((text) => text.replaceAll(/\s+/g, " ").trim())
    .filter((text) => /\p{L}{2}/u.test(text) && !names.has(text));
}

if (import.meta.main) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const faults = sources
    .flatMap((source) =>
      /\.tsx?$/.test(source)
        ? [source]
        : readdirSync(join(root, source), { recursive: true, encoding: "utf8" }).map(
            (name) => `${source}/${name.replaceAll("\\", "/")}`,
          ),
    )
    .filter((name) => /\.tsx?$/.test(name) && !unread.has(name))
    .sort()
    .flatMap((name) => findTexts(name, readFileSync(join(root, name), "utf8")));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    console.error(`${faults.length} texts are in no catalogue: use i18n.t("…") of console/src/text/i18n.ts.`);
    process.exitCode = 1;
  }
}
