import { emitGoProtocol } from "./emit-go-protocol.ts";
import type { Field, Method, Model, NamedType, Resource, TypeRef } from "./model.ts";
import { pascalCase, sentence, wrap } from "./words.ts";

const notice =
  "// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.\n\npackage earnest\n";

/** The files of clients/go that are generated; what is written by hand stands beside them, in one package. */
export const isGeneratedGo = (file: string) => /^(settlement\/)?[a-z_]+_generated\.go$/.test(file);

/** The transport reads these itself. */
const transportTypes = ["ApiError", "ErrorInfo", "PaymentRefusal"];

/** The generated files of clients/go, as gofmt would write them: the types, the client's root, and a file a resource. */
export function emitGo(model: Model): Map<string, string> {
  const deliveries = model.events.map(({ delivery }) => delivery);
  const types = model.types.filter(({ name }) => ![...transportTypes, ...deliveries].includes(name));
  const files = new Map([
    ["types_generated.go", emitTypes(model, types)],
    ["events_generated.go", emitEvents(model)],
    ["resources_generated.go", emitRoot(model)],
    ...emitGoProtocol(),
  ]);
  for (const resource of model.root.resources) {
    files.set(`${resource.name}_resource_generated.go`, emitResourceFile(model, resource));
  }
  return files;
}

const initialisms: Record<string, string> = {
  api: "API",
  erc8004: "ERC8004",
  id: "ID",
  rpc: "RPC",
  ids: "IDs",
  json: "JSON",
  sha256: "SHA256",
  uri: "URI",
  url: "URL",
};

/** `order_id` as `OrderID`; a name on the wire may hold what no name in Go may. */
function goName(name: string): string {
  const words = name
    .replace(/^\$/, "")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return words.map((word) => initialisms[word.toLowerCase()] ?? pascalCase(word)).join("");
}

/** `order_id` as `orderID`. */
function goArgument(name: string): string {
  const [first = "", ...rest] = name.split("_");
  return first + (rest.length > 0 ? goName(rest.join("_")) : "");
}

function emitTypes(model: Model, types: NamedType[]): string {
  const body = types.map((type) => emitType(model, type)).filter(Boolean);
  return `${notice}\n${importsOf(body.join("\n"))}${body.join("\n")}`;
}

function importsOf(text: string): string {
  const packages = [
    /\bcontext\.Context\b/.test(text) ? "context" : "",
    /\btime\.Time\b/.test(text) ? "time" : "",
  ];
  const used = packages.filter(Boolean);
  if (used.length === 0) return "";
  if (used.length === 1) return `import "${used[0]}"\n\n`;
  return `import (\n${used.map((name) => `\t"${name}"\n`).join("")})\n\n`;
}

function emitType(model: Model, type: NamedType): string {
  const note = comment(described(type.name, type.description));
  if (type.kind === "enum") return note + emitEnum(type.name, type.values);
  if (type.kind === "object") return note + emitStruct(model, type);
  const variants = type.sent && type.of.kind === "union" ? namesOf(type.of.of) : null;
  if (!variants) return `${note}type ${type.name} = ${goType(model, type.of, type.sent)}\n`;
  // What is sent in one of several shapes is an interface that those shapes have, so that nothing else compiles.
  const marker = `is${type.name}`;
  const marks = variants.map((name) => `\nfunc (${name}) ${marker}() {}\n`).join("");
  return `${note}type ${type.name} interface{ ${marker}() }\n${marks}`;
}

const namesOf = (refs: TypeRef[]) =>
  refs.every((ref) => ref.kind === "named") ? refs.map((ref) => (ref as { name: string }).name) : null;

function described(name: string, description: string): string {
  return description === "" ? `${name} is a schema of the API.` : `${name}: ${sentence(description)}`;
}

function emitEnum(name: string, values: string[]): string {
  const rows = values.map((value) => {
    const constant = name + (value === "*" ? "All" : goName(value));
    return { cells: [constant, name, `= ${JSON.stringify(value)}`], note: "" };
  });
  return `type ${name} string\n\n// The values that were known when this client was made; others may come.\nconst (\n${align(rows)})\n`;
}

function emitStruct(model: Model, type: NamedType & { kind: "object" }): string {
  const base = type.extends ? [{ cells: [type.extends], note: "" }] : [];
  const own = type.fields.map((field) => emitField(model, field, type.sent));
  if (base.length + own.length === 0) return `type ${type.name} struct{}\n`;
  return `type ${type.name} struct {\n${align([...base, ...own])}}\n`;
}

type Row = { cells: string[]; note: string };

/** Lines of a block with their columns aligned; a comment ends a block of aligned lines, as gofmt has it. */
function align(rows: Row[]): string {
  const blocks: Row[][] = [];
  for (const row of rows) {
    const last = blocks.at(-1);
    if (last && row.note === "" && row.cells.length === last[0]?.cells.length) last.push(row);
    else blocks.push([row]);
  }
  return blocks.map(alignBlock).join("");
}

function alignBlock(rows: Row[]): string {
  const widths = (rows[0]?.cells ?? []).map((_, at) =>
    Math.max(...rows.map(({ cells }) => cells[at]?.length ?? 0)),
  );
  const line = (cells: string[]) =>
    cells.map((cell, at) => (at === cells.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join(" ");
  return rows.map(({ cells, note }) => `${note}\t${line(cells)}\n`).join("");
}

function emitField(model: Model, field: Field, sent: boolean): Row {
  const { name, type, required, description, fallback } = field;
  const usual = fallback === null ? "" : ` Unless given: ${JSON.stringify(fallback)}.`;
  const nullable =
    sent && !required && type.kind === "nullable" ? " Null is another thing than leaving it out." : "";
  const note = comment(`${sentence(description)}${usual}${description === "" ? "" : nullable}`, "\t");
  const omit = required ? "" : ",omitzero";
  const goTypeOf = sent ? sentType(model, field) : receivedType(model, type, required);
  return { cells: [goName(name), goTypeOf, `\`json:"${name}${omit}"\``], note };
}

/** A pointer is nil where the answer has null, or not the field. */
function receivedType(model: Model, type: TypeRef, required: boolean): string {
  const inner = type.kind === "nullable" ? type.of : type;
  const plain = goType(model, inner, false);
  const isFlag = inner.kind === "literal" && inner.values.every((value) => value === true);
  const mayBeNil = (type.kind === "nullable" || !required) && !isFlag && !hasNil(model, inner);
  return mayBeNil ? `*${plain}` : plain;
}

/** Whether a type of Go has an empty value that stands for none, without a pointer. */
function hasNil(model: Model, type: TypeRef): boolean {
  if (type.kind === "named") {
    const named = model.types.find(({ name }) => name === type.name);
    return named?.kind === "alias" && hasNil(model, named.of);
  }
  return ["list", "map", "any", "union"].includes(type.kind);
}

/**
 * A field that may be left out is so at its zero value, where that is nothing the service would take: an empty id, amount or
 * enum. Where it is something (an empty text, 0, false), and where null is something, the field is an Opt.
 */
function sentType(model: Model, { type, required, fallback }: Field): string {
  if (type.kind === "nullable") {
    const inner = goType(model, type.of, true);
    if (type.of.kind === "map") return "any";
    return required ? `*${inner}` : `Opt[${inner}]`;
  }
  const plain = goType(model, type, true);
  if (required) return plain;
  const hasPlainZero =
    type.kind === "integer" ||
    type.kind === "number" ||
    type.kind === "boolean" ||
    (type.kind === "text" && !type.form);
  const sameAsNone = fallback === 0 || fallback === "" || fallback === false;
  if (hasPlainZero && !sameAsNone) return `Opt[${plain}]`;
  const named = type.kind === "named" ? model.types.find(({ name }) => name === type.name) : null;
  return named?.kind === "object" ? `*${plain}` : plain;
}

function goType(model: Model, ref: TypeRef, sent: boolean): string {
  switch (ref.kind) {
    case "named":
      return ref.name;
    case "text":
      return ref.form === "time" ? "time.Time" : "string";
    case "amount":
      return "Amount";
    case "base_units":
      return "BaseUnits";
    case "uint256":
      return "Uint256";
    case "integer":
      return "int64";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    case "literal":
      return { string: "string", number: "int64", boolean: "bool" }[typeof ref.values[0] as "string"];
    case "list":
      return `[]${goType(model, ref.of, sent)}`;
    case "map":
      // What is received stays as it came: to read it into a map would make floats of its numbers.
      return ref.of.kind === "any" ? (sent ? "any" : "JSON") : `map[string]${goType(model, ref.of, sent)}`;
    case "nullable":
      return `*${goType(model, ref.of, sent)}`;
    case "union":
    case "any":
      return sent ? "any" : "JSON";
  }
}

function emitEvents(model: Model): string {
  const data = [...new Set(model.events.map((event) => event.data))];
  const cases = data.map((name) => {
    const types = model.events
      .filter((event) => event.data === name)
      .map(({ type }) => `EventType${goName(type)}`);
    return `\tcase ${types.join(", ")}:\n\t\treturn decodeInto[${name}](data)\n`;
  });
  return `${notice}
// decodeEventData reads the data of an event by its type: a pointer to ${data.join(", ")}; or the
// JSON as it came, where the type was added after this client was made.
func decodeEventData(kind EventType, data JSON) (any, error) {
	switch kind {
${cases.join("")}	}
	return data, nil
}
`;
}

const structOf = (resource: Resource) => `${pascalCase(resource.path.join("_"))}Resource`;

function emitRoot(model: Model): string {
  const { resources, methods } = model.root;
  const members = resources.map((one) => ({
    cells: [goName(one.name), one.name === "events" ? "*Events" : `*${structOf(one)}`],
    note: "",
  }));
  const made = resources.map((one) => {
    const made = `new${structOf(one)}(sender)`;
    return `\tr.${goName(one.name)} = ${one.name === "events" ? `&Events{${made}}` : made}\n`;
  });
  const body = `// resources are all resources of the API, and the methods that belong to none.
type resources struct {
	sender sender

${align(members)}}

func newResources(sender sender) resources {
	r := resources{sender: sender}
${made.join("")}	return r
}

${methods.map((method) => emitMethod(model, model.root, method, "resources")).join("\n")}`;
  return `${notice}\n${importsOf(body)}${body}`;
}

function emitResourceFile(model: Model, resource: Resource): string {
  const body = emitResource(model, resource);
  return `${notice}\n${importsOf(body)}${body}`;
}

function emitResource(model: Model, resource: Resource): string {
  const name = structOf(resource);
  const inner = resource.resources.map((one) => emitResource(model, one));
  const queries = resource.methods.map((method) => emitQuery(model, resource, method));
  const members = [
    { cells: ["sender", "sender"], note: "" },
    ...resource.resources.map((one) => ({ cells: [goName(one.name), `*${structOf(one)}`], note: "" })),
  ];
  const made = resource.resources.map((one) => `, ${goName(one.name)}: new${structOf(one)}(sender)`).join("");
  const methods = resource.methods.map((method) => emitMethod(model, resource, method, name));
  return [
    ...inner,
    ...queries.filter(Boolean),
    `// ${name} is client.${resource.path.map(goName).join(".")}.\ntype ${name} struct {\n${align(members)}}\n`,
    `func new${name}(sender sender) *${name} {\n\treturn &${name}{sender: sender${made}}\n}\n`,
    ...methods,
  ].join("\n");
}

const queryOf = (resource: Resource, { name }: Method) =>
  `${pascalCase([...resource.path, name].join("_"))}Query`;

function emitQuery(model: Model, resource: Resource, method: Method): string {
  if (method.query.length === 0) return "";
  const name = queryOf(resource, method);
  const rows = method.query.map((field): Row => {
    const { type, required, description, fallback } = field;
    const usual = fallback === null ? "" : ` Unless given: ${JSON.stringify(fallback)}.`;
    const plain = goType(model, type, true);
    const written = type.kind === "boolean" && !required ? `Opt[${plain}]` : plain;
    const omit = required ? "" : ",omitzero";
    const note = comment(`${sentence(description)}${usual}`, "\t");
    return { cells: [goName(field.name), written, `\`json:"${field.name}${omit}"\``], note };
  });
  const path = [...resource.path, method.name].map(goName).join(".");
  return `// ${name} is what client.${path} may be asked with.\ntype ${name} struct {\n${align(rows)}}\n`;
}

function emitMethod(model: Model, resource: Resource, method: Method, owner: string): string {
  const { pathParameters, query, headers, body, paging, scopes } = method;
  const isList = paging !== null && paging.style !== "feed";
  const parameters = [
    "ctx context.Context",
    ...pathParameters.map(({ argument }) => `${goArgument(argument)} string`),
    body ? `body ${goType(model, body.type, true)}` : "",
    query.length > 0 ? `query ${queryOf(resource, method)}` : "",
    "opts ...Option",
  ];
  const members = [
    `operation: "${method.operationId}"`,
    `verb: "${method.verb}"`,
    `path: ${pathOf(method)}`,
    method.root ? "root: true" : "",
    method.media === null ? "" : `accept: "${method.media}"`,
    query.length > 0 ? "query: query" : "",
    body ? "body: body" : "",
    headers.length > 0 ? "takesMatch: true" : "",
    method.access === "none" ? "open: true" : "",
    method.takesKey ? "takesKey: true" : "",
    method.retries ? "" : "once: true",
  ];
  const call = `call{${members.filter(Boolean).join(", ")}}`;
  const [returned, sent] = answerOf(model, method, isList);
  const read = isList ? `, ${pageReader(model, method)}` : "";
  const scope = scopes.length > 0 ? ` A key needs ${scopes.join(", ")}.` : "";
  const name = goName(method.name);
  const summary = sentence(method.summary);
  const note = comment(
    `${name}: ${summary.slice(0, 1).toLowerCase()}${summary.slice(1)} ${method.description}${scope}`,
  );
  return `${note}func (r *${owner}) ${name}(${parameters.filter(Boolean).join(", ")}) ${returned} {
	return ${sent}(ctx, r.sender, ${call}${read}, opts)
}
`;
}

/** What a method returns, and what sends it. A struct comes as a pointer; a list and plain JSON as they are. */
function answerOf(model: Model, { answer, media, paging }: Method, isList: boolean): [string, string] {
  const type = goType(model, answer, false);
  if (isList && paging) {
    const types = `${goType(model, paging.item, false)}, ${type}`;
    return [`*List[${types}]`, `newList[${types}]`];
  }
  if (media !== null) return ["(string, error)", "sendForText"];
  return hasNil(model, answer)
    ? [`(${type}, error)`, `sendFor[${type}]`]
    : [`(*${type}, error)`, `send[${type}]`];
}

/** Takes from a page its items and where the next one is; the header `Link` says so where the page is a plain array. */
function pageReader(model: Model, { answer, paging }: Method): string {
  const item = paging ? goType(model, paging.item, false) : "";
  if (answer.kind === "list") return `func(page *[]${item}) ([]${item}, *string) { return *page, nil }`;
  const page = goType(model, answer, false);
  return `func(page *${page}) ([]${item}, *string) { return page.Items, page.NextCursor }`;
}

function pathOf({ path, pathParameters }: Method): string {
  if (pathParameters.length === 0) return JSON.stringify(path);
  const template = pathParameters.reduce((text, { name }) => text.replace(`{${name}}`, "%s"), path);
  return `pathOf("${template}", ${pathParameters.map(({ argument }) => goArgument(argument)).join(", ")})`;
}

function comment(text: string, indent = ""): string {
  const lines = wrap(text.trim(), 104);
  return lines.map((line) => `${indent}// ${line}\n`).join("");
}
