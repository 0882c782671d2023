import { emitMembers } from "./emit-go-members.ts";
import { emitGoProtocol } from "./emit-go-protocol.ts";
import { align, comment, emitType, goType, hasNil, type Row } from "./emit-go-types.ts";
import type { Method, Model, NamedType, Resource } from "./model.ts";
import { goName, pascalCase, sentence } from "./words.ts";

const notice =
  "// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.\n\npackage earnest\n";

/** The generated files of clients/go. Hand-written files are in the same package. */
export const isGeneratedGo = (file: string) => /^(settlement\/)?[a-z_]+_generated\.go$/.test(file);

/** Headers that the transport reads itself. */
const transportTypes = ["ApiError", "ErrorInfo", "PaymentRefusal"];

/** Returns the generated files of clients/go in gofmt's form: the types, the client's root, and one file for each resource. */
export function emitGo(model: Model): Map<string, string> {
  const deliveries = model.events.map(({ delivery }) => delivery);
  const types = model.types.filter(({ name }) => ![...transportTypes, ...deliveries].includes(name));
  const files = new Map([
    ["types_generated.go", emitTypes(model, types)],
    ["members_generated.go", emitMembersFile(model, types)],
    ["events_generated.go", emitEvents(model)],
    ["resources_generated.go", emitRoot(model)],
    ...emitGoProtocol(),
  ]);
  for (const resource of model.root.resources) {
    files.set(`${resource.name}_resource_generated.go`, emitResourceFile(model, resource));
  }
  return files;
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

function emitMembersFile(model: Model, types: NamedType[]): string {
  const body = emitMembers(model, types);
  const imports = importsOf(body);
  return `${notice}${imports && `\n${imports.trimEnd()}\n`}${body}`;
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

function emitEvents(model: Model): string {
  const data = [...new Set(model.events.map((event) => event.data))];
  const cases = data.map((name) => {
    const types = model.events
      .filter((event) => event.data === name)
      .map(({ type }) => `EventType${goName(type)}`);
    return `\tcase ${types.join(", ")}:\n\t\treturn decodeInto[${name}](data)\n`;
  });
  return `${notice}
// decodeEventData decodes the data of an event by its type, to a pointer to one of:
// ${data.join(", ")}.
// Data of an unknown type is returned as raw JSON.
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
    method.mayRepeat ? "" : "once: true",
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

/** Returns the result type of a method and the function that sends it. A struct is a pointer; a list and raw JSON are not. */
function answerOf(model: Model, { answer, media, paging }: Method, isList: boolean): [string, string] {
  const type = goType(model, answer, false);
  if (isList && paging) {
    const types = `${goType(model, paging.item, false)}, ${type}`;
    return [`*List[${types}]`, `newList[${types}]`];
  }
  if (answer.kind === "file") return ["([]byte, error)", "sendForFile"];
  if (media !== null) return ["(string, error)", "sendForText"];
  return hasNil(model, answer)
    ? [`(${type}, error)`, `sendFor[${type}]`]
    : [`(*${type}, error)`, `send[${type}]`];
}

/** Returns the function that reads a page's items and next cursor. If the page is a plain array, `Link` has the cursor. */
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
