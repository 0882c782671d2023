import type { EventType, Field, Method, Model, NamedType, Paging, Resource, TypeRef } from "./model.ts";
import { argumentNames, handWritten, harmlessWrites, leftOut, methodNames } from "./names.ts";
import { nameOf, readField, readRef, readType, type Schema } from "./read-schema.ts";

type Content = Record<string, { schema: Schema }>;
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema };
type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  servers?: { url: string }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};
export type OpenApi = {
  info: { version: string };
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, { summary: string; requestBody: { content: Content } }>>;
};

/**
 * Reads the document into the model.
 *
 * @throws Error for an operation without a name, a name without an operation, and a construct that the model lacks:
 *   nothing is omitted silently
 */
export function readModel(document: OpenApi): Model {
  const all = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb: verb.toUpperCase(), operation })),
  );
  const operations = all.filter(({ operation }) => handWritten[operation.operationId] === undefined);
  checkNames(operations.map(({ operation }) => operation.operationId));
  const types = Object.entries(document.components.schemas).map(([name, schema]) => readType(name, schema));
  const methods = operations.map(({ path, verb, operation }) =>
    readMethod(path, verb as Method["verb"], operation, types),
  );
  const events = Object.entries(document.webhooks).map(([type, { post }]) => readEvent(type, post, types));
  markUses(types, methods, events);
  return {
    version: document.info.version,
    types: types.filter(({ sent, received }) => sent || received),
    root: gather(methods),
    events,
    errorCodes: readErrorCodes(
      types,
      all.flatMap(({ operation }) => readErrors(operation)),
    ),
  };
}

function checkNames(operationIds: string[]) {
  const unnamed = operationIds.filter((id) => methodNames[id] === undefined);
  const stale = Object.keys(methodNames).filter((id) => !operationIds.includes(id));
  const names = Object.values(methodNames);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  const wrong = [
    unnamed.length > 0 ? `these operations have no name: ${unnamed.join(", ")}` : "",
    stale.length > 0 ? `these operations are no longer in docs/openapi.json: ${stale.join(", ")}` : "",
    twice.length > 0 ? `these names stand for two operations: ${twice.join(", ")}` : "",
  ].filter(Boolean);
  if (wrong.length > 0) throw new Error(`Correct clients/generator/names.ts: ${wrong.join("; ")}.`);
}

function readMethod(path: string, verb: Method["verb"], operation: Operation, types: NamedType[]): Method {
  const { operationId, parameters = [], requestBody, responses } = operation;
  const taken = parameters.filter(({ name }) => leftOut[name] === undefined);
  const fieldsIn = (place: string) =>
    taken
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, required, description }) => ({
        ...readField(name, schema, required ?? false, operationId),
        description: description ?? schema.description ?? "",
      }));
  const media = mediaOf(responses);
  const answer = readAnswer(operationId, responses);
  const writes = verb !== "GET";
  const takesKey = parameters.some(({ name }) => name === "Idempotency-Key");
  const body = jsonOf(requestBody?.content);
  return {
    operationId,
    name: (methodNames[operationId] ?? "").split(".").at(-1) ?? "",
    summary: operation.summary,
    description: operation.description ?? "",
    verb,
    path,
    root: operation.servers !== undefined,
    pathParameters: fieldsIn("path").map(({ name, type }) => ({
      name,
      argument: argumentOf(name, type),
      type,
    })),
    query: fieldsIn("query"),
    headers: fieldsIn("header"),
    body: body && { type: readRef(operationId, body), required: requestBody?.required ?? false },
    media,
    answer,
    paging: readPaging(answer, fieldsIn("query"), types),
    ...readAccess(operation.security ?? []),
    writes,
    takesKey,
    mayRepeat: !writes || takesKey || harmlessWrites.includes(operationId),
    errors: readErrors(operation),
  };
}

function readErrors({ responses }: Operation): Method["errors"] {
  return Object.entries(responses)
    .filter(([status]) => status >= "400")
    .map(([status, { description }]) => ({
      status: Number(status),
      codes: [...description.matchAll(/`([a-z_]+)`/g)].map(([, code]) => String(code)),
    }));
}

/** Returns the schema of the JSON media type, including `application/schema+json`. */
function jsonOf(content: Content | undefined): Schema | null {
  const found = Object.entries(content ?? {}).find(([media]) => /[/+]json$/.test(media));
  return found?.[1].schema ?? null;
}

const goodAnswers = (responses: Operation["responses"]) =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, answer]) => answer);

/** Returns the media type of an operation that responds only with a text or a file. */
function mediaOf(responses: Operation["responses"]): string | null {
  const found = goodAnswers(responses).flatMap(({ content }) => Object.entries(content ?? {}));
  const [[media, { schema }] = ["", { schema: {} }]] = found;
  return found.length === 1 && (media.startsWith("text/") || isFile(schema)) ? media : null;
}

const isFile = ({ type, format }: Schema) => type === "string" && format === "binary";

/** Returns the one type of the successful responses. */
function readAnswer(operationId: string, responses: Operation["responses"]): TypeRef {
  const media = mediaOf(responses);
  if (media !== null) {
    return media.startsWith("text/") ? { kind: "text", form: null, prefix: null } : { kind: "file" };
  }
  const schemas = goodAnswers(responses).map(({ content }) => jsonOf(content));
  const [first, ...others] = schemas.map((schema) => JSON.stringify(schema));
  const [schema] = schemas;
  if (!schema || others.some((other) => other !== first)) {
    throw new Error(`${operationId}: its good answers need one schema of JSON.`);
  }
  return readRef(operationId, schema);
}

function argumentOf(name: string, type: TypeRef): string {
  const prefix = type.kind === "text" && name !== "account_id" ? type.prefix : null;
  const argument = argumentNames[name] ?? argumentNames[prefix ?? name];
  if (!argument)
    throw new Error(`clients/generator/names.ts does not say what to call the parameter ${name}.`);
  return argument;
}

function readPaging(answer: TypeRef, query: Field[], types: NamedType[]): Paging | null {
  if (!query.some(({ name }) => name === "cursor")) return null;
  if (answer.kind === "list") return { style: "link", item: answer.of };
  const type = answer.kind === "named" ? types.find(({ name }) => name === answer.name) : undefined;
  const fields = type?.kind === "object" ? type.fields : [];
  const items = fields.find(({ name }) => name === "items")?.type;
  const next = fields.find(({ name }) => name === "next_cursor")?.type;
  if (items?.kind !== "list" || !next)
    throw new Error(`${JSON.stringify(answer)} takes a cursor but is no page.`);
  return { style: next.kind === "nullable" ? "cursor" : "feed", item: items.of };
}

function readAccess(security: Record<string, string[]>[]): Pick<Method, "access" | "scopes"> {
  const scopes = security.flatMap((way) => way.apiKey ?? []);
  if (security.length === 0) return { access: "none", scopes };
  if (security.some((way) => Object.keys(way).length === 0)) return { access: "optional", scopes };
  return { access: security.some((way) => way.apiKey) ? "required" : "session", scopes };
}

function readEvent(
  type: string,
  post: { summary: string; requestBody: { content: Content } } | undefined,
  types: NamedType[],
): EventType {
  const delivery = nameOf(jsonOf(post?.requestBody.content)?.$ref ?? "");
  const named = types.find(({ name }) => name === delivery);
  const fields = named?.kind === "object" ? named.fields : [];
  const data = fields.find(({ name }) => name === "data")?.type;
  if (data?.kind !== "named") throw new Error(`The data of the event ${type} has no named type.`);
  return { type, description: post?.summary ?? "", data: data.name, delivery };
}

/** Marks the sent and the received types, with all their parts. */
function markUses(types: NamedType[], methods: Method[], events: EventType[]) {
  const mark = (ref: TypeRef, use: "sent" | "received"): void => {
    if ("of" in ref) for (const inner of [ref.of].flat()) mark(inner, use);
    if (ref.kind !== "named") return;
    const type = types.find(({ name }) => name === ref.name);
    if (!type) throw new Error(`No schema is called ${ref.name}.`);
    if (type[use]) return;
    type[use] = true;
    if (type.kind === "alias") mark(type.of, use);
    if (type.kind !== "object") return;
    if (type.extends) mark({ kind: "named", name: type.extends }, use);
    for (const field of type.fields) mark(field.type, use);
  };
  for (const { query, headers, body, answer } of methods) {
    for (const { type } of [...query, ...headers]) mark(type, "sent");
    if (body) mark(body.type, "sent");
    mark(answer, "received");
  }
  for (const { delivery } of events) mark({ kind: "named", name: delivery }, "received");
  for (const name of ["ApiError", "PaymentRefusal"]) mark({ kind: "named", name }, "received");
}

/** Puts each method where its name says. */
function gather(methods: Method[]): Resource {
  const root: Resource = { name: "", path: [], methods: [], resources: [] };
  for (const method of methods) {
    const path = (methodNames[method.operationId] ?? "").split(".").slice(0, -1);
    let resource = root;
    for (const name of path) {
      let next = resource.resources.find((one) => one.name === name);
      if (!next) {
        next = { name, path: [...resource.path, name], methods: [], resources: [] };
        resource.resources.push(next);
      }
      resource = next;
    }
    resource.methods.push(method);
  }
  return root;
}

function readErrorCodes(types: NamedType[], listed: Method["errors"]): Model["errorCodes"] {
  const codes = types.find(({ name }) => name === "ErrorCode");
  if (codes?.kind !== "enum") throw new Error("docs/openapi.json has no schema ErrorCode with the codes.");
  return codes.values.map((code) => {
    const statuses = listed.filter(({ codes }) => codes.includes(code)).map(({ status }) => status);
    return { code, statuses: [...new Set(statuses)].sort() };
  });
}
