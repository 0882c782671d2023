import vm from "node:vm";
import {
  Ajv2020,
  type ErrorObject,
  MissingRefError,
  type Options,
  str,
  type ValidateFunction,
} from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import canonicalize from "canonicalize";
import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";
import type { Hex } from "viem";
import { digestOf } from "../settlement/digest.ts";
import { isMultiple } from "./multiples.ts";
import { isObject, isQuick } from "./quick.ts";

/** One thing that is wrong: where (a JSON pointer), which rule, and what to do. */
export type Violation = { path: string; keyword: string; message: string };

type JsonObject = Record<string, unknown>;

const dialect = "https://json-schema.org/draft/2020-12/schema";

/** The largest schema, in bytes of JSON. */
const largestSchema = 64 * 1024;

/** How deep a schema may nest; compiling one recurses. */
const deepestSchema = 64;

/** The most violations in one list. */
const mostViolations = 100;

/** Milliseconds to compile a schema, and to check one payload. Both take a few; only a schema made to hang takes more. */
const compileTime = 2000;
const checkTime = 500;

/** How many compiled schemas are kept. */
const mostCompiled = 100;

/**
 * Checks that a schema can stand as a service's `input_schema` or `output_schema`: JSON Schema 2020-12, describing an
 * object, without references to elsewhere, with patterns that RE2 runs in linear time, at most 64 kB and 64 levels.
 *
 * @returns every violation, with its JSON pointer into the schema; none if it is good
 */
export function checkSchema(schema: unknown): Violation[] {
  if (!isObject(schema)) return [{ path: "", keyword: "type", message: "must be an object" }];
  if (nestsDeeper(schema, deepestSchema)) {
    const message = `nests deeper than ${deepestSchema} levels`;
    return [{ path: "", keyword: "depth", message }];
  }
  const size = Buffer.byteLength(JSON.stringify(schema));
  if (size > largestSchema) {
    const message = `is ${size} bytes of JSON; a schema takes at most ${largestSchema}`;
    return [{ path: "", keyword: "maxLength", message }];
  }
  const declared = schema.$schema;
  if (declared !== undefined && declared !== dialect) {
    return [{ path: "/$schema", keyword: "$schema", message: `must be ${dialect}, or left out` }];
  }
  // Runs with a pattern of its own, never with one of the schema's.
  if (!metaschema.validateSchema(schema)) return listViolations(metaschema.errors);
  const { type } = schema;
  if (type !== undefined && type !== "object" && !(Array.isArray(type) && type.includes("object"))) {
    return [{ path: "/type", keyword: "type", message: "must be object: inputs and outputs are objects" }];
  }
  const compiled = compile(schema);
  if (typeof compiled !== "function") return [compiled];
  // References without end, or doubling at each step, show on any object.
  return run(compiled, {}).filter(({ keyword }) => keyword === "$ref" || keyword === "timeout");
}

/**
 * Checks a payload against a schema that `checkSchema` let through.
 *
 * @returns every violation with its JSON pointer into the payload; of more than 100 the first ones, and how many more
 */
export function checkPayload(schema: JsonObject, payload: unknown): Violation[] {
  if (!isObject(payload)) return [{ path: "", keyword: "type", message: "must be an object" }];
  const compiled = compile(schema);
  if (typeof compiled !== "function") return [compiled];
  if (!isQuick(schema, payload)) return run(compiled, payload);
  return compiled(payload) ? [] : listViolations(compiled.errors);
}

const options: Options = {
  allErrors: true,
  // Unknown keywords and formats are annotations (JSON Schema Core, 6.5), not faults.
  strict: false,
  logger: false,
  // What every object inherits, as in `required: ["toString"]`, is no property of a payload.
  ownProperties: true,
  // Inlining lets a small schema grow into a huge function.
  inlineRefs: false,
};

const metaschema = addFormats(new Ajv2020(options));

/**
 * Compiled schemas by digest. What cannot be compiled is kept as why, but not for its
 * time: on a busy machine an honest one may miss it.
 */
const compiledSchemas = new LRUCache<string, ValidateFunction | Violation>({ max: mostCompiled });

/** Of the schemas of a task, each of which is asked for more than once. */
const digests = new WeakMap<JsonObject, Hex>();

/** As `digestOf` has it; a schema does not change. */
export function digestOfSchema(schema: JsonObject): Hex {
  const digest = digests.get(schema) ?? digestOf(schema);
  digests.set(schema, digest);
  return digest;
}

function compile(schema: JsonObject): ValidateFunction | Violation {
  const digest = digestOfSchema(schema);
  const compiled = compiledSchemas.get(digest) ?? compileAnew(schema);
  if (typeof compiled === "function" || compiled.keyword !== "timeout") compiledSchemas.set(digest, compiled);
  return compiled;
}

function compileAnew(schema: JsonObject): ValidateFunction | Violation {
  // An instance of its own: the `$id`s of one owner's schema must neither meet nor serve another's.
  const ajv = new Ajv2020({ ...options, meta: false, validateSchema: false, code: { regExp: linearRegExp } });
  addFormats(ajv);
  // Ajv's own compares each pair of items, which takes minutes for a body full of small objects.
  ajv.removeKeyword("uniqueItems").addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (unique: boolean, items: unknown[]) =>
      !unique || new Set(items.map((item) => canonicalize(item))).size === items.length,
    error: { message: "must NOT have duplicate items" },
  });
  // Ajv's own divides floating-point numbers, and takes 19.99 for no multiple of 0.01.
  ajv.removeKeyword("multipleOf").addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    validate: (divisor: number, value: number) => isMultiple(value, divisor),
    error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
  });
  try {
    return within(compileTime, () => ajv.compile(schema));
  } catch (error) {
    return explainFailure(error, schema);
  }
}

function run(validate: ValidateFunction, payload: JsonObject): Violation[] {
  try {
    return within(checkTime, () => (validate(payload) ? [] : listViolations(validate.errors)));
  } catch (error) {
    return [explainFailure(error, {})];
  }
}

const sandbox = vm.createContext({ work: null });
const callWork = new vm.Script("work()");

/**
 * Runs something synchronous under a time limit: nested `allOf`s of references can double the work at each level, and
 * no bound on the size of schema and payload would hold that back.
 */
function within<T>(milliseconds: number, work: () => T): T {
  sandbox.work = work;
  try {
    return callWork.runInContext(sandbox, { timeout: milliseconds });
  } finally {
    sandbox.work = null;
  }
}

class PatternError extends Error {
  readonly pattern: string;

  constructor(pattern: string, cause: unknown) {
    super(cause instanceof Error ? cause.message.replace("error parsing regexp: ", "") : String(cause));
    this.pattern = pattern;
  }
}

/** For Ajv: a schema's patterns in RE2, which has no look-around and no back-references and never backtracks. */
const linearRegExp = Object.assign(
  (pattern: string) => {
    try {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
      // Ajv tells patterns apart by their text.
      return { test: (text: string) => compiled.test(text), toString: () => pattern };
    } catch (cause) {
      throw new PatternError(pattern, cause);
    }
  },
  { code: "linearRegExp" },
);

function explainFailure(error: unknown, schema: JsonObject): Violation {
  if (error instanceof PatternError) {
    const found = findMember(
      schema,
      (name, value) => name === error.pattern || (name === "pattern" && value === error.pattern),
    );
    const message = `is no pattern that RE2 can run (${error.message})`;
    return { path: found ?? "", keyword: "pattern", message };
  }
  if (error instanceof MissingRefError) {
    const path = findMember(
      schema,
      (name, value) => name === "$ref" && error.message.includes(String(value)),
    );
    const message = "refers to nothing in this schema; references to elsewhere are not followed";
    return { path: path ?? "", keyword: "$ref", message };
  }
  if (error instanceof RangeError) {
    return { path: "", keyword: "$ref", message: "refers to itself without end" };
  }
  // This one is made in the sandbox and is no Error of ours.
  if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
    return { path: "", keyword: "timeout", message: "takes too long to be checked; simplify the schema" };
  }
  const reason = error instanceof Error ? error.message : String(error);
  return { path: "", keyword: "schema", message: `cannot be used as a schema: ${reason}` };
}

/** The JSON pointer to the first member that matches. */
function findMember(
  value: unknown,
  matches: (name: string, value: unknown) => boolean,
  path = "",
): string | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const at = path + pointerTo(name);
    const found = matches(name, member) ? at : findMember(member, matches, at);
    if (found) return found;
  }
  return null;
}

function listViolations(errors: readonly ErrorObject[] | null | undefined): Violation[] {
  const all = [
    ...new Map((errors ?? []).map(presentError).map((one) => [JSON.stringify(one), one])).values(),
  ];
  if (all.length <= mostViolations) return all;
  const shown = all.slice(0, mostViolations - 1);
  const message = `${all.length - shown.length} more violations are not listed`;
  return [...shown, { path: "", keyword: "limit", message }];
}

function presentError(error: ErrorObject): Violation {
  const { instancePath, keyword, params, message = "is not valid" } = error;
  // These are told of the object; the path names the member itself.
  const member =
    params.missingProperty ??
    params.additionalProperty ??
    params.unevaluatedProperty ??
    params.propertyName ??
    error.propertyName;
  const path = member === undefined ? instancePath : instancePath + pointerTo(String(member));
  return { path, keyword, message: rephrase(keyword, params, message) };
}

function rephrase(keyword: string, params: ErrorObject["params"], message: string): string {
  switch (keyword) {
    case "required":
      return "is required";
    case "additionalProperties":
    case "unevaluatedProperties":
      return "is not a property that the schema allows";
    case "enum":
      return `must be one of ${shorten(params.allowedValues)}`;
    case "const":
      return `must be ${shorten(params.allowedValue)}`;
    default:
      return message;
  }
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}...` : text;
}

function pointerTo(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestsDeeper(member, levels - 1));
}
