import { queryOptions } from "@tanstack/react-query";
import { serviceUrl } from "../settings.ts";

/** A JSON Schema of the description, as far as the page shows it. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  example?: unknown;
};

export type Media = { schema?: Schema; example?: unknown };
export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
};

/** An operation of the API with its place. */
export type Operation = {
  operationId: string;
  method: string;
  path: string;
  /** the part of the URL between the host and the path */
  base: string;
  tag: string;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
  security?: Record<string, string[]>[];
};

type Document = {
  info: { title: string; description?: string };
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Omit<Operation, "method" | "path" | "base" | "tag">>>;
  components: { schemas: Record<string, Schema> };
};

export type Description = {
  text: string;
  base: string;
  schemas: Record<string, Schema>;
  /** the operations by their subjects, in the order of the description */
  groups: { name: string; text: string; operations: Operation[] }[];
};

const methods = ["get", "post", "put", "patch", "delete"];

/** The API's own description. */
export const descriptionQuery = queryOptions({
  queryKey: ["description"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async (): Promise<Description> => {
    const answer = await fetch(`${serviceUrl}/api/v1/openapi.json`);
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return readDescription((await answer.json()) as Document);
  },
});

function readDescription({ info, servers, tags, paths, components }: Document): Description {
  const base = pathOf(servers[0]?.url ?? "/");
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method): Operation[] => {
      const found = item[method] as
        | (Operation & { tags?: string[]; servers?: { url: string }[] })
        | undefined;
      if (!found) return [];
      // An operation at the root of the service has a base of its own.
      const own = found.servers?.[0] && pathOf(found.servers[0].url);
      return [
        { ...found, method: method.toUpperCase(), path, base: own ?? base, tag: found.tags?.[0] ?? "other" },
      ];
    }),
  );
  const groups = tags.map(({ name, description = "" }) => ({
    name,
    text: description,
    operations: operations.filter(({ tag }) => tag === name),
  }));
  return {
    text: info.description ?? "",
    base,
    schemas: components.schemas,
    groups: groups.filter((group) => group.operations.length > 0),
  };
}

/** The path of a server's URL. Requests go to the origin of the page: its policy allows no other. */
const pathOf = (url: string): string => new URL(url, serviceUrl).pathname.replace(/\/$/, "");

/** The name of a schema that is referred to, such as `Order`. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);

/** Follows a reference to its schema. */
export function resolve(schema: Schema, schemas: Description["schemas"]): Schema {
  return schema.$ref ? (schemas[nameOf(schema.$ref)] ?? {}) : schema;
}

/** The media of a JSON body, or undefined if there is none. */
export const jsonOf = (content: Record<string, Media> | undefined): Media | undefined =>
  content?.["application/json"];

/** Whether anybody may call an operation without signing in. */
export const isOpen = ({ security = [] }: Operation): boolean =>
  security.length === 0 || security.some((one) => Object.keys(one).length === 0);

/** The scopes that a key needs for an operation; null if no key may call it. */
export function scopesOf({ security = [] }: Operation): string[] | null {
  const key = security.find((one) => "apiKey" in one);
  return key?.apiKey ?? null;
}

/** The address of an operation with its values. An empty value is left out. */
export function addressOf(
  { base, path, parameters = [] }: Operation,
  values: Record<string, string>,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters) {
    if (place === "query" && values[name]) query.append(name, values[name]);
  }
  const search = query.toString();
  return `${location.origin}${base}${filled}${search ? `?${search}` : ""}`;
}

/** The example of a parameter as text; empty if there is none. */
export const exampleOf = ({ example, schema }: Parameter): string => {
  const value = example ?? schema.example;
  return value === undefined ? "" : String(value);
};
