type Node = Record<string, unknown>;

/**
 * Writes schemas as one would by hand, so that generators of clients read them: what a reference is described as stands
 * beside it, and "this or null" is a choice of the two, instead of conjunctions that come to the same.
 */
export function writePlainly<T>(document: T): T {
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

/** `allOf` of a reference and what only describes it, or allows null. */
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

/** A choice that is described in its first member. */
function liftDescription(node: Node): Node {
  const { anyOf, ...rest } = node;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== "null") return node;
  const { $ref, ...notes } = anyOf[0] as Node;
  if (typeof $ref !== "string" || Object.keys(notes).length === 0) return node;
  return { anyOf: [{ $ref }, { type: "null" }], ...notes, ...rest };
}

const annotations = new Set(["description", "example", "examples", "default", "deprecated"]);
