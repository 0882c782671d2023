/** Checks a JSON Schema while its author edits it, by the service's own rules. Runs in a Web Worker. */
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
import { longestText, type Schema } from "./schema-input.ts";

/** An error in a schema: the JSON pointer of the member, and the service's message. */
export type Fault = { path: string; message: string };
/**
 * A fault with its position in the text. Lines and columns count from 1.
 *
 * @property code names a fault that the page words itself; the message is then empty, or the fragment for `WholeSchema`
 */
export type PlacedFault = {
  line: number;
  column: number;
  offset: number;
  message: string;
  code: FaultCode | null;
};
/** The result of a check: the schema, or its faults. */
export type Verdict = { schema: Schema | null; faults: PlacedFault[] };

const mostFaults = 20;

type Metaschema = { $id: string };
/** The metaschemas that json-schema.org publishes: the dialect, then its vocabularies. */
const [dialectSchema, ...vocabularies] = metaschemas as unknown as [Metaschema, ...Metaschema[]];

/**
 * Prepares a metaschema. Its dynamic references become references to this dialect. Formats are dropped, because the
 * service checks none of them here and checks patterns by its own rule.
 */
const prepare = (schema: object) =>
  JSON.parse(
    JSON.stringify(schema, (name, value) =>
      name === "format" && typeof value === "string" ? undefined : value,
    ),
    function (this: Record<string, unknown>, name: string, value: unknown) {
      if (name !== "$dynamicRef") return value;
      this.$ref = dialectSchema.$id;
    },
  ) as Checkable;
const metaschema = new Validator(prepare(dialectSchema), "2020-12", false);
for (const vocabulary of vocabularies) metaschema.addSchema(prepare(vocabulary));

/**
 * Checks a text as the schema of a service.
 *
 * @param refused the service's errors about this exact text, shown with the others
 */
export function checkSchemaText(text: string, refused: Fault[]): Verdict {
  if (text.length >= longestText) {
    return {
      schema: null,
      faults: [placeAt(text, 0, { code: "TooLong" })],
    };
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first || !tree) {
    const name = first ? printParseErrorCode(first.error) : "ValueExpected";
    return {
      schema: null,
      faults: [placeAt(text, first?.offset ?? 0, { code: findCode(name) })],
    };
  }
  const schema = parseJson(text) as Schema;
  const faults = [...findFaults(schema), ...refused].slice(0, mostFaults);
  const placed = faults.map(({ path, message }) =>
    placeAt(text, offsetOf(tree, path), wordsOf(path, message)),
  );
  return { schema: faults.length === 0 ? schema : null, faults: placed };
}

/** Finds the faults that the service would refuse, with the service's messages. */
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
    // The service reports every other fault.
    return error instanceof RangeError ? [{ path: "", message: "refers to itself without end" }] : [];
  }
}

/** Finds violations of the metaschema: one for each pointer, from the keyword nearest to the fault. */
function findViolations(schema: unknown): Violation[] {
  const violations = new Map<string, Violation>();
  for (const { keyword, instanceLocation, error } of metaschema.validate(schema).errors) {
    const path = decodeURIComponent(instanceLocation.slice(1));
    if (containerKeywords.has(keyword) || violations.has(path)) continue;
    violations.set(path, { path, keyword, message: keyword === "anyOf" ? typeSentence : error });
  }
  return [...violations.values()];
}

/** Keywords whose errors only say that a value below is wrong. */
const containerKeywords = new Set(["allOf", "$ref", "properties", "additionalProperties", "items"]);
const typeSentence = "is none of array, boolean, integer, null, number, object, string, nor a list of these";

/** Writes a fault as a sentence about its member. A message that is a sentence stays unchanged. */
function wordsOf(path: string, message: string): Words {
  if (/^[A-Z].*\.$/s.test(message)) return { message };
  if (path === "") return { code: "WholeSchema", message };
  return { message: `"${nameOfStep(path.slice(path.lastIndexOf("/") + 1))}" ${message}.` };
}

/** Returns the offset of a member, or of the nearest member around it. */
function offsetOf(tree: Node, pointer: string): number {
  const names = pointer.split("/").slice(1);
  for (let length = names.length; length > 0; length--) {
    const path: JSONPath = names.slice(0, length).map((name) => {
      const key = nameOfStep(name);
      return /^\d+$/.test(key) ? Number(key) : key;
    });
    const node = findNodeAtLocation(tree, path);
    if (node) return node.offset;
  }
  return tree.offset;
}

type Words = { message?: string; code?: FaultCode };

function placeAt(text: string, offset: number, { message = "", code }: Words): PlacedFault {
  const before = text.slice(0, offset).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  return { line: before.length, column, offset, message, code: code ?? null };
}

/** The faults that the page words itself: the error codes of the JSON parser, a long text, and faults of the whole schema. */
const faultCodes = [
  "InvalidSymbol",
  "InvalidNumberFormat",
  "PropertyNameExpected",
  "ValueExpected",
  "ColonExpected",
  "CommaExpected",
  "CloseBraceExpected",
  "CloseBracketExpected",
  "EndOfFileExpected",
  "InvalidCommentToken",
  "UnexpectedEndOfComment",
  "UnexpectedEndOfString",
  "UnexpectedEndOfNumber",
  "InvalidUnicode",
  "InvalidEscapeCharacter",
  "InvalidCharacter",
  "NotJson",
  "TooLong",
  "WholeSchema",
] as const;
export type FaultCode = (typeof faultCodes)[number];

const findCode = (name: string): FaultCode => faultCodes.find((code) => code === name) ?? "NotJson";
