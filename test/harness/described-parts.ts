/** The members of a schema that the tests read. */
export type Part = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Part>;
  items?: Part;
  additionalProperties?: Part | boolean;
  [choice: string]: unknown;
  anyOf?: Part[];
  oneOf?: Part[];
  allOf?: Part[];
};
type Documented = {
  components: { schemas: Record<string, Part> };
  paths: Record<string, Record<string, Operation>>;
};
type Media = { content?: Record<string, { schema: Part }> };
type Operation = {
  parameters?: { in: string; name: string; schema: Part }[];
  requestBody?: Media;
  responses: Record<string, Media>;
};

function operations({ paths }: Documented): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== "servers")
      .map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );
}

/** Every schema of parameters and of bodies of requests. */
export function sentIn(document: Documented): [string, Part][] {
  return operations(document).flatMap(([where, { parameters = [], requestBody }]) => [
    ...parameters.map(({ in: place, name, schema }): [string, Part] => [`${where} ${place} ${name}`, schema]),
    ...Object.values(requestBody?.content ?? {}).map(({ schema }): [string, Part] => [where, schema]),
  ]);
}

/** Every schema of answers' bodies, and of what is named without being answered. */
export function shownIn(document: Documented): [string, Part][] {
  return [
    ...operations(document).flatMap(([where, { responses }]) =>
      Object.entries(responses).flatMap(([status, { content = {} }]) =>
        Object.values(content).map(({ schema }): [string, Part] => [`${where} ${status}`, schema]),
      ),
    ),
    ...Object.keys(document.components.schemas).map((name): [string, Part] => [
      name,
      { $ref: `#/components/schemas/${name}` },
    ]),
  ];
}

/** A schema with all its parts, each named part once. A part of an `allOf` has the name of the whole. */
export function partsOf(document: Documented, where: string, root: Part) {
  const seen = new Set<string>();
  const parts: { name: string; schema: Part; isNamed: boolean }[] = [];
  const add = (name: string, schema: Part, isNamed: boolean): void => {
    if (!schema.allOf) parts.push({ name, schema, isNamed });
    for (const one of schema.allOf ?? []) add(name, one, isNamed);
    for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) add(name, one, false);
    for (const [member, one] of Object.entries(schema.properties ?? {})) add(`${name}.${member}`, one, false);
    if (schema.items) add(`${name}[]`, schema.items, false);
    if (typeof schema.additionalProperties === "object") add(`${name}{}`, schema.additionalProperties, false);
    const named = schema.$ref?.split("/").at(-1);
    if (!named || seen.has(named)) return;
    seen.add(named);
    add(named, document.components.schemas[named] as Part, true);
  };
  add(where, root, false);
  return parts;
}
