import { type Field, fieldsOf, type Model, type NamedType, type TypeRef } from "./model.ts";
import { sentence, wrap } from "./words.ts";

export const notice =
  "# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.\n";
const lineWidth = 110;

/** types.py: a TypedDict for each object, an alias for each enum and union. */
export function emitTypes(model: Model): string {
  const types = sortByBase(model.types).map((type) => emitType(model, type).trim());
  const webhookEvent = `WebhookEvent: TypeAlias = ${aliasOf(model.events.map(({ delivery }) => delivery))}
"""The body of a webhook delivery: its \`type\` tells what its \`data\` is."""`;
  return `${notice}
from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal, Union

from typing_extensions import NotRequired, TypeAlias, TypedDict

Amount: TypeAlias = str
"""Money: an exact decimal in text, as in \`"12.50"\`. \`Decimal(text)\` reads it."""
AmountInput: TypeAlias = Union[str, Decimal]
"""Money that is sent: a \`Decimal\`, or an exact decimal in text. A float is refused."""
BaseUnits: TypeAlias = str
"""Money in the token's smallest unit: digits in text. \`int(text)\` reads it."""
Uint256: TypeAlias = Union[str, int]
"""A whole number that may be beyond 2^53: an int, or digits in text."""


${joinBlocks([...types, webhookEvent])}

FeedEvent: TypeAlias = WebhookEvent
"""An event of the feed: its \`type\` tells what its \`data\` is. Types may be added: have a default where you match."""


class FeedPage(TypedDict):
    """What the feed answers. Keep \`next_cursor\`: it is there also where nothing is new."""

${emitFields(
  fieldsOf(model, "EventFeed").filter(({ name }) => name !== "items"),
  "received",
)}
    items: list[FeedEvent]
`;
}

/** Joins blocks. Two empty lines surround a class. */
function joinBlocks(blocks: string[]): string {
  return blocks.reduce((text, block, at) => {
    const apart = [block, blocks[at - 1]].some((one) => one?.startsWith("class "));
    return `${text}${apart ? "\n\n\n" : "\n\n"}${block}`;
  });
}

/** Sorts types in the document's order, but each type after its base. */
function sortByBase(types: NamedType[]): NamedType[] {
  const sorted = new Set<NamedType>();
  const add = (type: NamedType | undefined): void => {
    if (!type) return;
    if (type.kind === "object" && type.extends) add(types.find(({ name }) => name === type.extends));
    sorted.add(type);
  };
  types.forEach(add);
  return [...sorted];
}

export const isIdentifier = (name: string) => /^[A-Za-z_]\w*$/.test(name) && !keywords.has(name);
const keywords = new Set(["from", "import", "class", "pass", "in", "is", "not", "global", "return", "with"]);

/** The direction of a type's fields: a sent amount may be a Decimal, a received amount is text. */
type Use = "sent" | "received";

function emitType(model: Model, type: NamedType): string {
  const about = type.description ? `${docstring([sentence(type.description)], "")}` : "";
  if (type.kind === "enum") return `${type.name}: TypeAlias = ${literal(type.values, "")}\n${about}`;
  const use = type.received ? "received" : "sent";
  if (type.kind === "alias") return `${type.name}: TypeAlias = ${emitAlias(type.of, use)}\n${about}`;
  if (type.fields.every(({ name }) => isIdentifier(name))) {
    const described = type.description ? `${docstring([sentence(type.description)], "    ")}\n` : "";
    const fields = emitFields(type.fields, use);
    return `\nclass ${type.name}(${type.extends ?? "TypedDict"}):\n${described}${fields || "    pass"}\n`;
  }
  // A Python class body cannot have a member of this name.
  const members = fieldsOf(model, type.name).map(({ name, type, required }) => {
    const text = emitRef(type, use);
    return `        ${quote(name)}: ${quote(required ? text : `NotRequired[${text}]`)},\n`;
  });
  return `${type.name} = TypedDict(\n    ${quote(type.name)},\n    {\n${members.join("")}    },\n)\n${about}`;
}

function emitAlias(ref: TypeRef, use: Use): string {
  if (ref.kind === "union") return aliasOf(ref.of.map((one) => emitRef(one, use)));
  return quote(emitRef(ref, use));
}

/** Returns a union in quotes, because its members may be defined later. */
function aliasOf(members: string[]): string {
  const lines = members.map((member) => `    ${quote(member)},\n`);
  return `Union[\n${lines.join("")}]`;
}

function emitFields(fields: Field[], use: Use): string {
  return fields
    .map(({ name, type, required, description }) => {
      const text = emitRef(type, use);
      const note = description ? `\n${docstring([sentence(description)], "    ").trimEnd()}` : "";
      return `    ${name}: ${required ? text : `NotRequired[${text}]`}${note}`;
    })
    .join("\n");
}

export const quote = (text: string) => JSON.stringify(text);

function literal(values: (string | number | boolean)[], indent: string): string {
  const texts = values.map((value) =>
    typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value),
  );
  // Ruff's form: one value in each line, or a single value in the same line.
  if (texts.length === 1) return `Literal[${texts[0]}]`;
  return `Literal[\n${texts.map((text) => `${indent}    ${text},\n`).join("")}${indent}]`;
}

export function emitRef(ref: TypeRef, use: Use, types = ""): string {
  switch (ref.kind) {
    case "named":
      return `${types}${ref.name}`;
    case "text":
      return "str";
    case "amount":
      return `${types}${use === "sent" ? "AmountInput" : "Amount"}`;
    case "base_units":
      return `${types}BaseUnits`;
    case "uint256":
      return use === "sent" ? `${types}Uint256` : "str";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "file":
      return "bytes";
    case "literal": {
      const values = ref.values.map((value) =>
        typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value),
      );
      return `Literal[${values.join(", ")}]`;
    }
    // The names of typing are used, because a method \`list\` of a class hides the built-in one.
    case "list":
      return `${types ? (use === "sent" ? "Sequence" : "List") : "list"}[${emitRef(ref.of, use, types)}]`;
    case "map":
      return `${types && use === "sent" ? "Mapping" : "dict"}[str, ${emitRef(ref.of, use, types)}]`;
    case "nullable":
      return `${emitRef(ref.of, use, types)} | None`;
    case "union":
      return ref.of.map((one) => emitRef(one, use, types)).join(" | ");
    case "any":
      return "Any";
  }
}

/** Returns paragraphs as a docstring. A line keeps its leading spaces, and its continuation is indented further. */
export function docstring(paragraphs: string[], indent: string): string {
  const lines = paragraphs.flatMap((paragraph, at) => [
    ...(at > 0 ? [""] : []),
    ...paragraph.split("\n").flatMap((line) => {
      const own = /^ */.exec(line)?.[0] ?? "";
      const wrapped = wrap(line, lineWidth - indent.length - own.length - 8);
      return wrapped.map((text, part) => `${own}${part > 0 && own ? "    " : ""}${text}`);
    }),
  ]);
  const text = lines
    .map((line) => (line ? `${indent}${line}` : ""))
    .join("\n")
    .replaceAll("\\", "\\\\")
    .replaceAll('"""', "'''")
    .trimStart();
  const end = lines.length > 1 ? `\n${indent}` : text.endsWith('"') ? " " : "";
  return `${indent}"""${text}${end}"""\n`;
}
