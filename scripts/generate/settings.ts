// Writes .env.example from config/: `node scripts/generate/settings.ts`. With `--check`, fails if the file differs.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { environments } from "../../config/config.ts";
import { programEnvironments } from "../../config/programs.ts";
import { chainSettings, ponderSettings, type SettingNote, settingNotes } from "../../config/settings.ts";

type Setting = SettingNote & { name: string; usual: string | null; range: string };
type Group = { title: string; settings: Setting[] };

const root = fileURLToPath(new URL("../../", import.meta.url));
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
  const note = settingNotes.get(schema);
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

/** Text as comment lines of at most 120 characters. */
function asComment(text: string): string[] {
  const lines = ["#"];
  for (const word of `${text[0]?.toUpperCase()}${text.slice(1)}`.split(" ")) {
    if (`${lines.at(-1)} ${word}`.length > 120) lines.push("#");
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines;
}

/** @param isOfService whether the service reads the setting: a command is named by the title of its group */
function asLines(
  { name, usual, range, for: programs, is, unit, otherwise, example: shown }: Setting,
  isOfService: boolean,
): string[] {
  const bounds = [unit, range].filter(Boolean).join(", ");
  const without = usual === null && otherwise && !otherwise.includes("=") ? ` Default: ${otherwise}.` : "";
  const readers = isOfService ? ` For: ${programs}.` : "";
  return [
    ...asComment(`${is}${bounds ? ` (${bounds})` : ""}.${without}${readers}`),
    `#${name.replace("<chain id>", "8453")}=${usual ?? shown ?? ""}`,
  ];
}

const lines = [
  "# Every setting with its default and the programs that read it. Copy this file to .env. The environment wins over the file.",
  "# `npm start` needs none of this, and sets the database, the chain, the keys and the folders of its processes itself.",
  "# Written by `npm run generate` from config/.",
  ...groups.flatMap(({ title, settings }) => [
    "",
    `# --- ${title} ---`,
    ...settings.flatMap((setting) => asLines(setting, !title.startsWith("npm "))),
  ]),
  "",
].join("\n");

if (readFileSync(`${root}${example}`, "utf8") === lines) console.log(`${example} is up to date`);
else if (process.argv.includes("--check")) {
  console.error(`${example} differs from config/: run \`npm run generate\`.`);
  process.exitCode = 1;
} else {
  writeFileSync(`${root}${example}`, lines);
  console.log(`wrote ${example}`);
}
