type Node = Record<string, unknown>;

/**
 * Rewrites schemas into forms that client generators read. A described reference has its description beside it, and a
 * nullable reference is a choice of two. Without this, both would be conjunctions.
 */
export function simplifySchemas<T>(document: T): T {
  return plain(document) as T;
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const node = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, plain(member)]),
  ) as Node;
  return liftDescription(joinReference(node));
}

/** Joins `allOf` of a reference and a part that only describes the reference or allows null. */
function joinReference(node: Node): Node {
  const { allOf, ...rest } = node;
  if (!Array.isArray(allOf) || allOf.length !== 2) return node;
  const [reference, { type, ...notes }] = allOf as [Node, Node];
  if (typeof reference.$ref !== "string" || !Object.keys(notes).every((name) => annotations.has(name)))
    return node;
  if (type === undefined) return { ...reference, ...notes, ...rest };
  if (!Array.isArray(type) || !type.includes("null")) return node;
  return { anyOf: [reference, { type: "null" }], ...notes, ...rest };
}

/** Moves the description of a choice's first member to the choice. */
function liftDescription(node: Node): Node {
  const { anyOf, ...rest } = node;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== "null") return node;
  const { $ref, ...notes } = anyOf[0] as Node;
  if (typeof $ref !== "string" || Object.keys(notes).length === 0) return node;
  return { anyOf: [{ $ref }, { type: "null" }], ...notes, ...rest };
}

const annotations = new Set(["description", "example", "examples", "default", "deprecated"]);
