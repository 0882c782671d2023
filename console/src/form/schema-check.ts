/** Checks what somebody writes as a JSON Schema, by the rules that the service has for one. Runs in a thread of its own. */
import { type Schema as Checkable, Validator } from "@cfworker/json-schema";
import {
  findNodeAtLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { parseJson } from "../../../protocol/json/parse.ts";
import { nameOfStep } from "../../../protocol/json/pointer.ts";
import {
  checkDialect,
  checkKind,
  checkOutline,
  type Violation,
} from "../../../untrusted/schemas/dialect/dialect.ts";
import { isObject } from "../../../untrusted/schemas/dialect/keywords.ts";
import metaschemas from "./json-schema-2020-12.json";
import { longestText, type Schema } from "./schema.ts";

/** One thing that is wrong in a schema: which member, as a JSON pointer, and what, as the service says it. */
export type Fault = { path: string; message: string };
/** A fault where it stands in the text; lines and columns count from 1. */
export type PlacedFault = { line: number; column: number; offset: number; message: string };
/** What a text is: a schema that may be used, or all that is wrong with it. */
export type Verdict = { schema: Schema | null; faults: PlacedFault[] };

const mostFaults = 20;

type Metaschema = { $id: string };
/** As json-schema.org publishes them: the dialect, then its vocabularies. */
const [dialectSchema, ...vocabularies] = metaschemas as unknown as [Metaschema, ...Metaschema[]];

/**
 * The dialect's own schema. Its references to whichever dialect uses it lead to this one; the service checks no formats by
 * it, and patterns by its own rule.
 */
const fixed = (schema: object) =>
  JSON.parse(
    JSON.stringify(schema, (name, value) =>
      name === "format" && typeof value === "string" ? undefined : value,
    ),
    function (this: Record<string, unknown>, name: string, value: unknown) {
      if (name !== "$dynamicRef") return value;
      this.$ref = dialectSchema.$id;
    },
  ) as Checkable;
const metaschema = new Validator(fixed(dialectSchema), "2020-12", false);
for (const vocabulary of vocabularies) metaschema.addSchema(fixed(vocabulary));

/**
 * Reads a text as a service's schema.
 *
 * @param refused what the service found wrong with this very text, shown with the rest
 */
export function checkSchemaText(text: string, refused: Fault[]): Verdict {
  if (text.length >= longestText) {
    return {
      schema: null,
      faults: [placeAt(text, 0, "This is longer than any schema that the service takes.")],
    };
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first || !tree) {
    const name = first ? printParseErrorCode(first.error) : "ValueExpected";
    return {
      schema: null,
      faults: [placeAt(text, first?.offset ?? 0, unreadable[name] ?? "This is no JSON.")],
    };
  }
  const schema = parseJson(text) as Schema;
  const faults = [...findFaults(schema), ...refused].slice(0, mostFaults);
  const placed = faults.map(({ path, message }) =>
    placeAt(text, offsetOf(tree, path), sentenceOf(path, message)),
  );
  return { schema: faults.length === 0 ? schema : null, faults: placed };
}

/** The faults that the service would refuse, in the service's own words. */
function findFaults(schema: unknown): Fault[] {
  const outline = checkOutline(schema);
  if (outline.length > 0 || !isObject(schema)) return outline;
  try {
    const violations = checkDialect(schema, findViolations);
    if (violations.length > 0) return violations;
    const kind = checkKind(schema);
    if (kind.length > 0) return kind;
    new Validator(schema as Checkable, "2020-12", false).validate({});
    return [];
  } catch (error) {
    // Whatever else it is, the service says it.
    return error instanceof RangeError ? [{ path: "", message: "refers to itself without end" }] : [];
  }
}

/** Where the schema is no JSON Schema: one sentence for each place, of the keyword that is nearest to the fault. */
function findViolations(schema: unknown): Violation[] {
  const found = new Map<string, Violation>();
  for (const { keyword, instanceLocation, error } of metaschema.validate(schema).errors) {
    const path = decodeURIComponent(instanceLocation.slice(1));
    if (above.has(keyword) || found.has(path)) continue;
    found.set(path, { path, keyword, message: keyword === "anyOf" ? typeSentence : error });
  }
  return [...found.values()];
}

/** Keywords that only say that something below is wrong. */
const above = new Set(["allOf", "$ref", "properties", "additionalProperties", "items"]);
const typeSentence = "is none of array, boolean, integer, null, number, object, string, nor a list of these";

/** A fault as a sentence about the member. A message that is a sentence already stays as it is. */
function sentenceOf(path: string, message: string): string {
  if (/^[A-Z].*\.$/s.test(message)) return message;
  const name = path === "" ? "The schema" : `"${nameOfStep(path.slice(path.lastIndexOf("/") + 1))}"`;
  return `${name} ${message}.`;
}

/** Where a member stands, or the nearest one around it. */
function offsetOf(tree: Node, pointer: string): number {
  const names = pointer.split("/").slice(1);
  for (let length = names.length; length > 0; length--) {
    const path: JSONPath = names.slice(0, length).map((name) => {
      const key = nameOfStep(name);
      return /^\d+$/.test(key) ? Number(key) : key;
    });
    const found = findNodeAtLocation(tree, path);
    if (found) return found.offset;
  }
  return tree.offset;
}

function placeAt(text: string, offset: number, message: string): PlacedFault {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, offset, message };
}

/** What the parser's findings mean. */
const unreadable: Record<string, string> = {
  InvalidSymbol: "This word is no JSON. A text stands in double quotes.",
  InvalidNumberFormat: "This is no number.",
  PropertyNameExpected: "A name in double quotes belongs here.",
  ValueExpected: "A value belongs here.",
  ColonExpected: "A colon belongs here.",
  CommaExpected: "A comma belongs here.",
  CloseBraceExpected: "A closing } belongs here.",
  CloseBracketExpected: "A closing ] belongs here.",
  EndOfFileExpected: "The schema ended before this.",
  InvalidCommentToken: "JSON has no comments.",
  UnexpectedEndOfComment: "JSON has no comments.",
  UnexpectedEndOfString: "A closing double quote is missing.",
  UnexpectedEndOfNumber: "This number ends too soon.",
  InvalidUnicode: "This is no character: four hexadecimal digits follow \\u.",
  InvalidEscapeCharacter: "No such character follows a backslash.",
  InvalidCharacter: "This character must be written with a backslash.",
};
