import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  type ExactField,
  exactFieldsOf,
  type Field,
  type Method,
  type Model,
  type NamedType,
  type Resource,
  type TypeRef,
} from "./model.ts";
import { camelCase, pascalCase, sentence, wrap } from "./words.ts";

const notice =
  "// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.\n";
const root = resolve(import.meta.dirname, "../..");

/** The files of clients/typescript/src/generated: all types in one, a class for each resource, and the client's base. */
export function emitTypeScript(model: Model): Map<string, string> {
  const files = new Map([
    ["types.ts", emitTypes(model)],
    ["api.ts", emitApi(model)],
  ]);
  for (const resource of model.root.resources) {
    files.set(`resources/${fileOf(resource)}.ts`, emitResourceFile(model, resource));
  }
  return format(files);
}

const fileOf = (resource: Resource) => resource.name.replaceAll("_", "-");

function emitTypes(model: Model): string {
  const types = model.types.map((type) => comment(type.description) + emitType(type));
  const data = model.events.map(({ type, data }) => `${JSON.stringify(type)}: ${data};`);
  return `${notice}
/** Money: an exact decimal in text, as in \`"12.50"\`. */
export type Amount = string;
/** Money in the token's smallest unit: digits in text. \`BigInt(text)\` reads it. */
export type BaseUnits = string;
/** A whole number that may be beyond 2^53, digits in text. A bigint is sent as text. */
export type Uint256 = string | bigint;

${types.join("\n\n")}

/** The data of each type of event. */
export interface EventDataByType { ${data.join("\n")} }

/** An event of the feed: its \`type\` tells what its \`data\` is. Types may be added: have a default where you switch. */
export type FeedEvent = { [T in EventType]: Omit<Event, "type" | "data"> & { type: T; data: EventDataByType[T] } }[EventType];

/** A page of the event feed. Store \`next_cursor\`, which is set even without new events. */
export type FeedPage = Omit<EventFeed, "items"> & { items: FeedEvent[] };

/** The body of a webhook delivery: its \`type\` tells what its \`data\` is. */
export type WebhookEvent = ${model.events.map(({ delivery }) => delivery).join(" | ")};
`;
}

function emitType(type: NamedType): string {
  if (type.kind === "enum")
    return `export type ${type.name} = ${type.values.map((one) => JSON.stringify(one)).join(" | ")};`;
  if (type.kind === "alias") return `export type ${type.name} = ${emitRef(type.of)};`;
  const base = type.extends ? ` extends ${type.extends}` : "";
  return `export interface ${type.name}${base} {\n${emitFields(type.fields)}\n}`;
}

function emitFields(fields: Field[]): string {
  return fields
    .map(({ name, type, required, description, fallback }) => {
      const usual = fallback === null ? "" : ` Unless given: \`${JSON.stringify(fallback)}\`.`;
      const note = comment(`${sentence(description)}${usual}`);
      return `${note}${propertyOf(name)}${required ? "" : "?"}: ${emitRef(type)};`;
    })
    .join("\n");
}

const propertyOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function emitRef(ref: TypeRef): string {
  switch (ref.kind) {
    case "named":
      return ref.name;
    case "text":
      return "string";
    case "amount":
      return "Amount";
    case "base_units":
      return "BaseUnits";
    case "uint256":
      return "Uint256";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "file":
      return "Uint8Array";
    case "literal":
      return ref.values.map((value) => JSON.stringify(value)).join(" | ");
    case "list":
      return `(${emitRef(ref.of)})[]`;
    case "map":
      return `Record<string, ${emitRef(ref.of)}>`;
    case "nullable":
      return `${emitRef(ref.of)} | null`;
    case "union":
      return ref.of.map(emitRef).join(" | ");
    case "any":
      return "unknown";
  }
}

/** Returns the names of types.ts that a text uses. */
function importsOf(model: Model, text: string): string {
  const names = [...model.types.map(({ name }) => name), "Amount", "BaseUnits", "Uint256", "FeedPage"];
  const code = text.replaceAll(/\/\*\*[\s\S]*?\*\//g, "").replaceAll(/"[^"]*"|\b[A-Z]\w*Resource\b/g, "");
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  return used.sort().join(", ");
}

function emitResourceFile(model: Model, resource: Resource): string {
  const classes = emitResource(model, resource);
  const calls = ["Answer", "RequestOptions"].filter((name) => new RegExp(`\\b${name}\\b`).test(classes));
  const imports = [
    calls.length > 0 ? `import type { ${calls.join(", ")} } from "../../core/call.ts";` : "",
    /PagePromise</.test(classes) ? 'import type { PagePromise } from "../../core/page.ts";' : "",
    /path`/.test(classes) ? 'import { path } from "../../core/path.ts";' : "",
    'import { ResourceBase } from "../../core/resource.ts";',
    `import type { ${importsOf(model, classes)} } from "../types.ts";`,
  ];
  return `${notice}\n${imports.filter(Boolean).join("\n")}\n\n${classes}`;
}

/** The suffix tells a resource's class from a schema of the same name. */
const classOf = (resource: Resource) => `${pascalCase(resource.path.join("_"))}Resource`;

function emitResource(model: Model, resource: Resource): string {
  const inner = resource.resources.map((one) => emitResource(model, one));
  const queries = resource.methods.map((method) => emitQuery(resource, method));
  const members = [
    ...resource.resources.map(
      (one) => `readonly ${camelCase(one.name)} = new ${classOf(one)}(this.transport);`,
    ),
    ...resource.methods.map((method) => emitMethod(model, resource, method)),
  ];
  return `${[...inner, ...queries].join("\n")}
export class ${classOf(resource)} extends ResourceBase {\n${members.join("\n\n")}\n}\n`;
}

const queryOf = (resource: Resource, { name }: Method) =>
  `${pascalCase([...resource.path, name].join("_"))}Query`;

function emitQuery(resource: Resource, method: Method): string {
  if (method.query.length === 0) return "";
  return `export interface ${queryOf(resource, method)} {\n${emitFields(method.query)}\n}\n`;
}

function emitMethod(model: Model, resource: Resource, method: Method): string {
  const { pathParameters, query, headers, body, paging } = method;
  const answer = emitRef(method.answer);
  const optional = !query.some(({ required }) => required);
  const header = headers.map(({ name }) => `${camelCase(name)}?: string`).join("; ");
  const parameters = [
    ...pathParameters.map(({ argument }) => `${camelCase(argument)}: string`),
    body ? `body${body.required ? "" : "?"}: ${emitRef(body.type)}` : "",
    query.length > 0 ? `query${optional ? "?" : ""}: ${queryOf(resource, method)}` : "",
    `options?: RequestOptions${header ? ` & { ${header} }` : ""}`,
  ];
  const exact = exactFieldsOf(model, method);
  const headerOf = ({ name }: { name: string }) => `${propertyOf(name)}: options?.${camelCase(name)}`;
  const members = [
    `operation: "${method.operationId}"`,
    `verb: "${method.verb}"`,
    `path: ${pathOf(method)}`,
    method.root ? "root: true" : "",
    method.media === null ? "" : `accept: "${method.media}"`,
    method.answer.kind === "file" ? "file: true" : "",
    query.length > 0 ? "query" : "",
    body ? "body" : "",
    headers.length > 0 ? `headers: { ${headers.map(headerOf).join(", ")} }` : "",
    method.access === "none" ? "open: true" : "",
    method.takesKey ? "takesKey: true" : "",
    method.mayRepeat ? "" : "mayRepeat: false",
    exact.length > 0 ? `exact: ${exactText(exact)}` : "",
  ];
  const [type, send] =
    paging === null
      ? [`Answer<${answer}>`, "send"]
      : paging.style === "feed"
        ? ["Answer<FeedPage>", "send"]
        : [`PagePromise<${emitRef(paging.item)}, ${answer}>`, "sendPage"];
  const scope = method.scopes.length > 0 ? ` A key needs \`${method.scopes.join("`, `")}\`.` : "";
  return `${comment(`${sentence(method.summary)} ${method.description}${scope}`)}${camelCase(method.name)}(${parameters
    .filter(Boolean)
    .join(", ")}): ${type} {
    return this.${send}({ ${members.filter(Boolean).join(", ")} }, options);
  }`;
}

function pathOf({ path, pathParameters }: Method): string {
  if (pathParameters.length === 0) return JSON.stringify(path);
  const filled = pathParameters.reduce(
    (text, { name, argument }) => text.replace(`{${name}}`, `\${${camelCase(argument)}}`),
    path,
  );
  return `path\`${filled}\``;
}

/** The base of the client: a member for each resource, and the methods that belong to none. */
function emitApi(model: Model): string {
  const { resources, methods } = model.root;
  const members = [
    ...resources.map((one) => `readonly ${camelCase(one.name)} = new ${classOf(one)}(this.transport);`),
    ...methods.map((method) => emitMethod(model, model.root, method)),
  ];
  const codes = model.errorCodes.map(({ code }) => JSON.stringify(code)).join(", ");
  const body = `/** Every resource of the API. */
export class Api extends ResourceBase {\n${members.join("\n\n")}\n}

/** The codes of errors that the service had when this client was made. */
export const errorCodes = [${codes}] as const satisfies readonly ErrorCode[];
`;
  const imports = resources.map((one) => `import { ${classOf(one)} } from "./resources/${fileOf(one)}.ts";`);
  return `${notice}
import type { Answer, RequestOptions } from "../core/call.ts";
import { ResourceBase } from "../core/resource.ts";
${imports.sort().join("\n")}
import type { ${importsOf(model, body)} } from "./types.ts";

${body}`;
}

function comment(text: string): string {
  const lines = wrap(text.replaceAll("*/", "* /"), 104);
  if (lines.length === 0) return "";
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}\n`).join("")} */\n`;
}

/** Formats a file with the formatter of `npm run check`. */
function format(files: Map<string, string>): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "earnest-generated-"));
  try {
    for (const [name, text] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    // The repository's configuration also uses git's ignore file, which does not apply here.
    const { formatter, javascript } = JSON.parse(readFileSync(join(root, "biome.json"), "utf8"));
    writeFileSync(join(folder, "biome.json"), JSON.stringify({ formatter, javascript }));
    const biome = join(root, "node_modules", ".bin", "biome");
    const { status, stderr } = spawnSync(biome, ["format", "--write", "."], {
      cwd: folder,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`biome could not format what was generated: ${stderr}`);
    return new Map([...files.keys()].map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const exactText = (fields: ExactField[]): string =>
  `{ ${fields.map(({ name, holds }) => `${propertyOf(name)}: ${typeof holds === "string" ? `"${holds}"` : exactText(holds)}`).join(", ")} }`;
