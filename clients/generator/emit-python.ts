import {
  type ExactField,
  exactFieldsOf,
  type Field,
  fieldsOf,
  type Method,
  type Model,
  type Resource,
} from "./model.ts";
import { docstring, emitRef, emitTypes, isIdentifier, notice, quote } from "./python-types.ts";
import { pascalCase, sentence } from "./words.ts";

/** The files of clients/python/src/earnest/_generated: all types in one, a file for each resource, and the clients' bases. */
export function emitPython(model: Model): Map<string, string> {
  const files = new Map([
    ["__init__.py", notice],
    ["types.py", emitTypes(model)],
    ["api.py", emitApi(model)],
  ]);
  for (const resource of model.root.resources) {
    files.set(`${resource.name}.py`, emitResourceFile(model, resource));
  }
  return files;
}

function emitResourceFile(model: Model, resource: Resource): string {
  const sync = emitResource(model, resource, syncStyle);
  const async = emitResource(model, resource, asyncStyle);
  return `${notice}\nfrom __future__ import annotations\n\n${importsOf(sync + async)}${sync}${async}`;
}

/** Returns the imports that a text needs, in the order of isort. */
function importsOf(text: string): string {
  const code = text.replaceAll(/"""[\s\S]*?"""/g, "");
  const uses = (names: string[]) =>
    names.filter((name) => new RegExp(`(?<![\\w.])${name}(?!\\w)`).test(code)).join(", ");
  const typing = uses(["Any", "List", "Literal", "Mapping", "Sequence"]);
  const core: [string, string][] = [
    ["call", uses(["OMITTED", "Call", "Omitted", "RequestOptions", "path_of"])],
    ["page", uses(["AsyncPages", "Page"])],
    ["resource", uses(["AsyncResource", "Resource"])],
  ];
  const lines = core
    .filter(([, names]) => names)
    .map(([file, names]) => `from .._core.${file} import ${names}\n`);
  const from = /types\.\w/.test(text) ? "from . import types\n" : "";
  return `${typing ? `from typing import ${typing}\n\n` : ""}${lines.join("")}${from}`;
}

/** All differences between the two clients. */
type Style = {
  prefix: string;
  base: string;
  /** The keyword that defines a method without pages. */
  define: string;
  wait: string;
  page: (item: string, body: string) => string;
};

const syncStyle: Style = {
  prefix: "",
  base: "Resource",
  define: "def",
  wait: "",
  page: (item, body) => `Page[${item}, ${body}]`,
};
const asyncStyle: Style = {
  prefix: "Async",
  base: "AsyncResource",
  define: "async def",
  wait: "await ",
  page: (item, body) => `AsyncPages[${item}, ${body}]`,
};

/** The suffix tells a resource's class from a schema of the same name. */
const classOf = (resource: Resource, { prefix }: Style) =>
  `${prefix}${pascalCase(resource.path.join("_"))}Resource`;

function emitResource(model: Model, resource: Resource, style: Style): string {
  const inner = resource.resources.map((one) => emitResource(model, one, style)).join("");
  return `${inner}\n\nclass ${classOf(resource, style)}(${style.base}):\n${emitMembers(model, resource, style)}`;
}

function emitMembers(model: Model, resource: Resource, style: Style): string {
  const inner = resource.resources.map(
    (one) =>
      `    @property\n    def ${one.name}(self) -> ${classOf(one, style)}:\n        return ${classOf(one, style)}(self._transport)\n`,
  );
  return [...inner, ...resource.methods.map((method) => emitMethod(model, method, style))].join("\n");
}

function emitMethod(model: Model, method: Method, style: Style): string {
  const { pathParameters, query, headers, body, paging } = method;
  const content = body?.type.kind === "named" ? fieldsOf(model, body.type.name) : [];
  // A body of several possible shapes is one argument.
  const whole: Field[] =
    body && content.length === 0
      ? [{ name: "body", type: body.type, required: body.required, description: "", fallback: null }]
      : [];
  const keywords = [...content, ...query, ...headers.map((field) => ({ ...field, name: snake(field.name) }))];
  const taken = [
    ...pathParameters.map(({ argument }) => argument),
    ...[...whole, ...keywords].map(({ name }) => name),
  ];
  const wrong = taken.find(
    (name, at) => taken.indexOf(name) !== at || !isIdentifier(name) || name === "options",
  );
  if (wrong) throw new Error(`${method.operationId}: ${wrong} cannot be the name of an argument in Python.`);
  const parameters = [
    "self",
    ...pathParameters.map(({ argument }) => `${argument}: str`),
    ...whole.map(parameterOf),
    "*",
    ...[...keywords.filter(({ required }) => required), ...keywords.filter(({ required }) => !required)].map(
      parameterOf,
    ),
    "options: RequestOptions | None = None",
  ];
  const answer = emitRef(method.answer, "received", "types.");
  const exact = exactFieldsOf(model, method);
  const members = [
    `operation="${method.operationId}"`,
    `verb="${method.verb}"`,
    `path=${pathOf(method)}`,
    method.root ? "root=True" : "",
    method.media === null ? "" : `accept="${method.media}"`,
    method.answer.kind === "file" ? "file=True" : "",
    query.length > 0 ? `query=${dict(query.map(({ name }) => [name, name]))}` : "",
    whole.length > 0
      ? "body=body"
      : content.length > 0
        ? `body=${dict(content.map(({ name }) => [name, name]))}`
        : "",
    headers.length > 0 ? `headers=${dict(headers.map(({ name }) => [name, snake(name)]))}` : "",
    method.access === "none" ? "open=True" : "",
    method.takesKey ? "takes_key=True" : "",
    method.mayRepeat ? "" : "may_repeat=False",
    exact.length > 0 ? `exact=${exactText(exact)}` : "",
  ];
  const pages = paging !== null && paging.style !== "feed";
  const type = pages
    ? style.page(emitRef(paging.item, "received", "types."), answer)
    : paging
      ? "types.FeedPage"
      : answer;
  const send = pages ? "return self._send_page(" : `return ${style.wait}self._send(`;
  return `    ${pages ? "def" : style.define} ${method.name}(
${parameters.map((parameter) => `        ${parameter},\n`).join("")}    ) -> ${type}:
${docstring(documentation(method, keywords), "        ")}        ${send}
            Call(
${members
  .filter(Boolean)
  .map((member) => `                ${member},\n`)
  .join("")}            ),
            options,
        )
`;
}

const snake = (name: string) => name.replaceAll("-", "_");

function parameterOf({ name, type, required }: Field): string {
  const text = emitRef(type, "sent", "types.");
  return required ? `${name}: ${text}` : `${name}: ${text} | Omitted = OMITTED`;
}

function pathOf({ path, pathParameters }: Method): string {
  if (pathParameters.length === 0) return quote(path);
  const shape = pathParameters.reduce((text, { name }) => text.replace(`{${name}}`, "{}"), path);
  return `path_of(${quote(shape)}, ${pathParameters.map(({ argument }) => argument).join(", ")})`;
}

const dict = (entries: [string, string][]) => {
  const lines = entries.map(([key, value]) => `                    ${quote(key)}: ${value},\n`);
  return `{\n${lines.join("")}                }`;
};

function documentation(method: Method, keywords: Field[]): string[] {
  const scopes = method.scopes.map((scope) => `\`${scope}\``).join(", ");
  const described = keywords.filter(({ description, fallback }) => description || fallback !== null);
  const args = described.map(({ name, description, fallback }) => {
    const usual = fallback === null ? "" : ` Unless given: \`${JSON.stringify(fallback)}\`.`;
    return `    ${name}: ${`${sentence(description)}${usual}`.trim()}`;
  });
  return [
    sentence(method.summary),
    method.description,
    scopes ? `A key needs ${scopes}.` : "",
    args.length > 0 ? ["Args:", ...args].join("\n") : "",
  ].filter(Boolean);
}

/** The bases of both clients: a member for each resource, and the methods that belong to none. */
function emitApi(model: Model): string {
  const { resources } = model.root;
  const emitClass = (style: Style) =>
    `\n\nclass ${style.prefix}Api(${style.base}):\n    """Every resource of the API."""\n\n${emitMembers(model, model.root, style)}`;
  const classes = [syncStyle, asyncStyle].map(emitClass).join("");
  const codes = model.errorCodes.map(({ code }) => `    "${code}",\n`).join("");
  const imports = resources
    .map((one) => `from .${one.name} import ${classOf(one, asyncStyle)}, ${classOf(one, syncStyle)}\n`)
    .sort();
  return `${notice}
from __future__ import annotations

${importsOf(classes)}${imports.join("")}
error_codes: tuple[types.ErrorCode, ...] = (
${codes})
"""The codes of errors that the service had when this client was made."""
${classes}`;
}

/** Writes the fields in ruff's form: in one line if they fit, else without a comma after an only object. */
function exactText(fields: ExactField[], indent = 16): string {
  const texts = fields.map(({ name, holds }) => ({
    flat: `${quote(name)}: ${typeof holds === "string" ? quote(holds) : exactText(holds, -Infinity)}`,
    broken: `${quote(name)}: ${typeof holds === "string" ? quote(holds) : exactText(holds, indent + 4)}`,
  }));
  const line = `{${texts.map(({ flat }) => flat).join(", ")}}`;
  if (indent + "exact=".length + line.length + 1 <= 110) return line;
  const pad = " ".repeat(indent + 4);
  const isAlone = fields.length === 1 && typeof fields[0]?.holds !== "string";
  const lines = texts.map(({ broken }) => `${pad}${broken}${isAlone ? "" : ","}\n`);
  return `{\n${lines.join("")}${" ".repeat(indent)}}`;
}
