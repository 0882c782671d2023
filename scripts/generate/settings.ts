// Writes the table of settings into docs/operations/configure.md, and .env.example, from config/:
// `node scripts/generate/settings.ts`. With `--check`, fails if they differ.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { environments } from "../../config/config.ts";
import { programEnvironments } from "../../config/programs.ts";
import { chainSettings, notes, ponderSettings, type SettingNote } from "../../config/settings.ts";

type Setting = SettingNote & { name: string; usual: string | null; range: string };
type Group = { title: string; settings: Setting[] };

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = "docs/operations/configure.md";
const example = ".env.example";

/** Returns the inner schema of a default, an optional value or a transformation. */
function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return unwrap(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodPipe ? unwrap(schema.in as z.ZodType) : schema;
}

/** Describes the bounds of a number, as in "1 to 20". Empty for a number with one bound, and for a port. */
function rangeOf(schema: z.ZodType): string {
  const number = unwrap(schema);
  if (!(number instanceof z.ZodNumber)) return "";
  const { minValue, maxValue } = number;
  const isBounded = Number.isSafeInteger(minValue) && Number.isSafeInteger(maxValue);
  const isPort = maxValue === 65_535;
  const isPlain = maxValue === Number.MAX_SAFE_INTEGER;
  return isBounded && !isPort && !isPlain ? `${minValue} to ${maxValue}` : "";
}

function readSetting(name: string, schema: z.ZodType): Setting {
  const note = notes.get(schema);
  if (!note) throw new Error(`${name} has no note: register one beside its schema in config/.`);
  const usual = schema.safeParse(undefined).data;
  const isPlain = ["string", "number", "boolean"].includes(typeof usual);
  return { ...note, name, usual: isPlain ? String(usual) : null, range: rangeOf(schema) };
}

const known = new Set<string>();
/** Returns the settings of a group without those of earlier groups. */
function readGroup(title: string, shape: Record<string, z.ZodType>): Group {
  const names = Object.keys(shape).filter((name) => !known.has(name));
  for (const name of names) known.add(name);
  return { title, settings: names.map((name) => readSetting(name, shape[name] as z.ZodType)) };
}

const asSettings = (all: Record<string, SettingNote>, end = ""): Setting[] =>
  Object.entries(all).map(([name, note]) => ({ ...note, name: `${name}${end}`, usual: null, range: "" }));

const { chains, ...others } = environments;
const { start, deploy, witness, demo, tests } = programEnvironments;
const { database, server, ...rest } = Object.fromEntries(
  Object.entries(others).map(([title, shape]) => [title, readGroup(title, shape)]),
) as Record<keyof typeof others, Group>;
const groups: Group[] = [
  database,
  readGroup("chains", chains),
  { title: "each chain, by its id", settings: asSettings(chainSettings, "_<chain id>") },
  { title: server.title, settings: [...server.settings, ...asSettings(ponderSettings)] },
  ...Object.values(rest),
  readGroup("npm start", start),
  readGroup("npm run deploy", deploy),
  readGroup("npm run witness", witness),
  readGroup("npm run demo", demo),
  readGroup("npm test, from the environment alone", tests),
];

function asRow({ name, usual, range, for: programs, is, unit, otherwise }: Setting): string {
  const value = otherwise ?? (usual === null ? "none" : `\`${usual}\``);
  const bounds = [unit, range].filter(Boolean).join(", ");
  return `| \`${name}\` | ${value} | ${programs} | ${is}${bounds ? ` (${bounds})` : ""} |`;
}

/** The settings of a running service. Only `.env.example` has the settings of other commands. */
const ofService = groups.filter(({ title }) => !title.startsWith("npm "));
const table = [
  "| variable | default | for | meaning |",
  "|---|---|---|---|",
  ...ofService.flatMap(({ settings }) => settings.map(asRow)),
].join("\n");

/** Text as comment lines of at most 120 characters, without its links. */
function asComment(text: string): string[] {
  const lines = ["#"];
  const plain = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  for (const word of `${plain[0]?.toUpperCase()}${plain.slice(1)}`.split(" ")) {
    if (`${lines.at(-1)} ${word}`.length > 120) lines.push("#");
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines;
}

function asLines({ name, usual, range, is, unit, otherwise, example: shown }: Setting): string[] {
  const bounds = [unit, range].filter(Boolean).join(", ");
  const without = usual === null && otherwise && !otherwise.includes("=") ? ` Default: ${otherwise}.` : "";
  return [
    ...asComment(`${is}${bounds ? ` (${bounds})` : ""}.${without}`),
    `#${name.replace("<chain id>", "8453")}=${usual ?? shown ?? ""}`,
  ];
}

const lines = [
  "# Every setting with its default. Copy this file to .env. The environment wins over the file. `npm start` needs none of this,",
  "# and sets the database, the chain, the keys and the folders of its processes itself. docs/operations/configure.md says",
  "# which program reads which setting. Written by `npm run generate` from config/.",
  ...groups.flatMap(({ title, settings }) => ["", `# --- ${title} ---`, ...settings.flatMap(asLines)]),
  "",
].join("\n");

const before = readFileSync(`${root}${page}`, "utf8");
const written = before.replace(
  /(<!-- Written by `npm run generate`[^\n]*-->\n)[\s\S]*(\n<!-- End of what is written\. -->)/,
  (_, head: string, end: string) => `${head}\n${table}\n${end}`,
);
if (!written.includes(table)) throw new Error(`${page} has no place for the table of settings.`);
for (const [file, text] of [
  [page, written],
  [example, lines],
] as const) {
  if (readFileSync(`${root}${file}`, "utf8") === text) console.log(`${file} is up to date`);
  else if (process.argv.includes("--check")) {
    console.error(`${file} differs from config/: run \`npm run generate\`.`);
    process.exitCode = 1;
  } else {
    writeFileSync(`${root}${file}`, text);
    console.log(`wrote ${file}`);
  }
}
