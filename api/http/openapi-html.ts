import { html, raw } from "hono/html";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import type { App } from "../variables.ts";
import { constantDocument } from "./constant-document.ts";
import { type Components, nameOf, type Schema } from "./openapi-examples.ts";
import { policyOfText } from "./security-headers.ts";

type Media = { schema?: Schema; example?: unknown };
type Answer = { description: string; content?: Record<string, Media> };
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema };
type Operation = {
  servers?: { url: string }[];
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Answer>;
  security?: Record<string, string[]>[];
};
type Document = {
  info: { title: string; description?: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, unknown>>;
  components: { schemas?: Components };
};

const methods = ["get", "post", "put", "patch", "delete"];

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 76rem; margin: 0 auto; padding: 0 1rem; color: #222; background: #fff; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; vertical-align: top; padding: .1rem 1rem .1rem 0; }
th, code, pre { font-family: ui-monospace, monospace; font-size: .85rem; font-weight: 600; } code, pre { font-weight: 400; }
pre { background: #f5f5f5; padding: .7rem 1rem; overflow-x: auto; } summary { cursor: pointer; }
.part { border-top: 1px solid #ddd; } .part > summary { padding: .4rem 0; } .part > div { padding: 0 0 1rem 1.1rem; scroll-margin-top: 2.5rem; } summary h2 { display: inline; }
nav { font-size: .85rem; } nav p { margin: 0; } nav details { margin: .2rem 0; }
.verb { display: inline-block; min-width: 4.5rem; font-weight: 700; } .quiet { color: #555; }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 2rem; }
  nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 1rem 0; box-sizing: border-box; }
}
`;

/** Serves the API's description as one HTML page, without scripts and without content of other hosts. */
export function addOpenApiPage(root: App, describe: () => object): void {
  const answer = constantDocument("text/html; charset=UTF-8", () =>
    String(writePage(describe() as Document)),
  );
  root.get("/docs", (c) => {
    c.header("Content-Security-Policy", policyOfText(style));
    return answer(c);
  });
}

function writePage(document: Document) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => ({ method, path, operation: item[method] as Operation })),
  );
  const groups = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? "other");
  const schemas = Object.entries(document.components.schemas ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${document.info.title}: the API</title>
<style>${raw(style)}</style>
</head>
<body>
<nav aria-label="Operations">${[...groups].map(
    ([tag, some]) => html`<details><summary>${tag}</summary>
${some.map(({ operation }) => html`<p><a href="#${operation.operationId}">${operation.operationId}</a></p>`)}</details>`,
  )}<p><a href="#schemas">schemas</a></p></nav>
<main>
<h1>${document.info.title}: the API</h1>
<p>${writeText(document.info.description)}</p>
<p>Paths are relative to <code>${document.servers[0]?.url ?? ""}</code>. For programs: <a href=".${apiPath}/openapi.json">openapi.json</a>.</p>
${[...groups].map(
  ([tag, some]) => html`<h2 id="tag-${tag}">${tag}</h2>
${some.map(writeOperation)}`,
)}
<details><summary><h2>schemas</h2></summary><div id="schemas">
${schemas.map(([name, schema]) =>
  fold(
    html`<code>${name}</code>`,
    `schema-${name}`,
    html`${schema.description ? html`<p>${writeText(schema.description)}</p>` : ""}${writeMembers(schema)}`,
  ),
)}
</div></details>
</main>
</body>
</html>
`;
}

/** A part that opens by a click, or by a link to its id: browsers open a folded part whose content has the id. */
function fold(summary: ReturnType<typeof html>, id: string, content: ReturnType<typeof html>) {
  return html`<details class="part"><summary>${summary}</summary><div id="${id}">${content}</div></details>
`;
}

function writeOperation({ method, path, operation }: { method: string; path: string; operation: Operation }) {
  const scopes = [...new Set((operation.security ?? []).flatMap((one) => Object.values(one).flat()))];
  const open =
    (operation.security ?? []).length === 0 ||
    operation.security?.some((one) => Object.keys(one).length === 0);
  const access = scopes.length > 0 ? `a session, or a key with ${scopes.join(", ")}` : "a session or a key";
  const body = operation.requestBody?.content["application/json"];
  // An operation at the root of the service is shown with its full path.
  const base = operation.servers?.[0]?.url.replace(/\/$/, "") ?? "";
  const summary = html`<span class="verb">${method.toUpperCase()}</span><code>${base}${path}</code> <span class="quiet">${writeText(operation.summary)}</span>`;
  return fold(
    summary,
    operation.operationId,
    html`<p>${writeText(operation.summary)}. ${writeText(operation.description)}</p>
<p>${open ? "Open to everybody." : html`Needs ${access}.`}</p>
${
  operation.parameters?.length
    ? html`<table>${operation.parameters.map(
        (one) =>
          html`<tr><th>${one.name}</th><td>${one.in}${one.required ? ", required" : ""}</td><td>${typeOf(one.schema)}</td><td>${writeText(one.description)}</td></tr>`,
      )}</table>`
    : ""
}
${body ? html`<p>Body: ${typeOf(body.schema)}</p>${writeExample(body)}` : ""}
${Object.entries(operation.responses).map(([status, answer]) => {
  const media = Object.entries(answer.content ?? {});
  return status < "300"
    ? html`<p>${status}: ${writeText(answer.description)}${media.map(([type, one]) => html` ${type === "application/json" ? typeOf(one.schema) : html`<code>${type}</code>`}`)}</p>
${media[0] ? writeExample(media[0][1]) : ""}`
    : html`<p>${status}: ${writeText(answer.description)}</p>`;
})}`,
  );
}

function writeExample({ example }: Media) {
  if (example === undefined) return "";
  return html`<details><summary>Example</summary><pre>${JSON.stringify(example, null, 2)}</pre></details>`;
}

/** Writes a text of the description. Words between backticks become code. */
function writeText(text = "") {
  const parts = text.split("`");
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** Describes a schema in a few words, with a link if it has a name. */
function typeOf(schema: Schema | undefined): ReturnType<typeof html> | string {
  if (!schema) return "";
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (choices)
    return html`${choices.map((one, at) => html`${at > 0 ? (schema.allOf ? " & " : " | ") : ""}${typeOf(one)}`)}`;
  const type = [schema.type ?? "any"].flat().join(" | ");
  if (schema.items) return html`array of ${typeOf(schema.items)}`;
  return schema.format ? `${type} (${schema.format})` : type;
}

function writeMembers(schema: Schema): ReturnType<typeof html> | string {
  const parts = [schema, ...(schema.allOf ?? [])];
  const members = parts.flatMap((part) => Object.entries(part.properties ?? {}));
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  if (members.length === 0) return html`<p>${typeOf(schema)}</p>`;
  return html`<table>${members.map(
    ([name, member]) =>
      html`<tr><th>${name}</th><td>${required.has(name) ? "" : "optional"}</td><td>${typeOf(member)}</td><td>${writeText(member.description)}</td></tr>`,
  )}</table>`;
}
