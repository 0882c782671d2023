import type { Field, Model, NamedType, TypeRef } from "./model.ts";
import { goName, sentence, wrap } from "./words.ts";

export function emitType(model: Model, type: NamedType): string {
  const note = comment(described(type.name, type.description));
  if (type.kind === "enum") return note + emitEnum(type.name, type.values);
  if (type.kind === "object") return note + emitStruct(model, type);
  const variants = type.sent && type.of.kind === "union" ? namesOf(type.of.of) : null;
  if (!variants) return `${note}type ${type.name} = ${goType(model, type.of, type.sent)}\n`;
  // A union of request types is an interface that only its members implement, so no other type compiles.
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

/** A type that extends a base uses the base's `Unknown`. */
function emitStruct(model: Model, type: NamedType & { kind: "object" }): string {
  const fields = type.fields.map((field) => emitField(model, field, type.sent));
  if (type.extends) fields.unshift({ cells: [type.extends], note: "" });
  else if (type.received) fields.push({ cells: ["Unknown", "Unknown", '`json:"-"`'], note: "" });
  if (fields.length === 0) return `type ${type.name} struct{}\n`;
  return `type ${type.name} struct {\n${align(fields)}}\n`;
}

export type Row = { cells: string[]; note: string };

/** Lines of a block with their columns aligned; a comment ends a block of aligned lines, as gofmt has it. */
export function align(rows: Row[]): string {
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

export function emitField(model: Model, field: Field, sent: boolean): Row {
  const { name, type, required, description, fallback } = field;
  const usual = fallback === null ? "" : ` Unless given: ${JSON.stringify(fallback)}.`;
  const nullable =
    sent && !required && type.kind === "nullable" ? " Null is another thing than leaving it out." : "";
  const note = comment(`${sentence(description)}${usual}${description === "" ? "" : nullable}`, "\t");
  const omit = required ? "" : ",omitzero";
  const goTypeOf = sent ? sentType(model, field) : receivedType(model, type, required);
  return { cells: [goName(name), goTypeOf, `\`json:"${name}${omit}"\``], note };
}

/** A nil pointer means that the response has null or lacks the field. */
function receivedType(model: Model, type: TypeRef, required: boolean): string {
  const inner = type.kind === "nullable" ? type.of : type;
  const plain = goType(model, inner, false);
  const isFlag = inner.kind === "literal" && inner.values.every((value) => value === true);
  const mayBeNil = (type.kind === "nullable" || !required) && !isFlag && !hasNil(model, inner);
  return mayBeNil ? `*${plain}` : plain;
}

/** Tells whether the empty value of a Go type means "no value", so that it needs no pointer. */
export function hasNil(model: Model, type: TypeRef): boolean {
  if (type.kind === "named") {
    const named = model.types.find(({ name }) => name === type.name);
    return named?.kind === "alias" && hasNil(model, named.of);
  }
  return ["list", "map", "any", "union"].includes(type.kind);
}

/**
 * Returns the Go type of a request field. An optional field is omitted at its zero value if the service accepts no such value:
 * an empty id, amount or enum. If the zero value (an empty text, 0, false) or null has a meaning, the field is an Opt.
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

export function goType(model: Model, ref: TypeRef, sent: boolean): string {
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
    case "file":
      return "[]byte";
    case "literal":
      return { string: "string", number: "int64", boolean: "bool" }[typeof ref.values[0] as "string"];
    case "list":
      return `[]${goType(model, ref.of, sent)}`;
    case "map":
      // A received value stays raw JSON, because a map would turn its numbers into floats.
      return ref.of.kind === "any" ? (sent ? "any" : "JSON") : `map[string]${goType(model, ref.of, sent)}`;
    case "nullable":
      return `*${goType(model, ref.of, sent)}`;
    case "union":
    case "any":
      return sent ? "any" : "JSON";
  }
}

export function comment(text: string, indent = ""): string {
  const lines = wrap(text.trim(), 104);
  return lines.map((line) => `${indent}// ${line}\n`).join("");
}
