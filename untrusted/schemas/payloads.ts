import vm from "node:vm";
import { _, Ajv2020, type ErrorObject, type Options, str, type ValidateFunction } from "ajv/dist/2020.js";
import canonicalize from "canonicalize";
import { LRUCache } from "lru-cache";
import type { Hex } from "viem";
import { pointerTo } from "../../protocol/json/pointer.ts";
import { digestOf } from "../../protocol/settlement/digest.ts";
import {
  checkDialect as checkByDialect,
  checkKind,
  checkOutline,
  readDialect,
  type Violation,
} from "./dialect/dialect.ts";
import { isObject } from "./dialect/keywords.ts";
import { compilePattern } from "./dialect/patterns.ts";
import { checkTime, compileTime, maxCompiledSchemas, maxViolations } from "./dialect/schema-bounds.ts";
import { formats } from "./formats.ts";
import { isMultiple } from "./multiples.ts";
import { isQuick } from "./quick-check.ts";

export type { Violation };

type JsonObject = Record<string, unknown>;

/**
 * Checks that a schema can be a service's `input_schema` or `output_schema`. It is JSON Schema 2020-12 as far as that is
 * enforced here, describes an object, and has no external references. RE2 must run its patterns in linear time.
 * `schema-bounds.ts` limits its size and depth.
 *
 * @returns every violation, with its JSON pointer into the schema; none if it is good
 */
export function checkSchema(schema: unknown): Violation[] {
  const outline = checkOutline(schema);
  if (outline.length > 0 || !isObject(schema)) return outline;
  const violations = checkDialect(schema);
  if (violations.length > 0) return violations;
  const kind = checkKind(schema);
  if (kind.length > 0) return kind;
  // Endless references, and references that double at each step, show on any object.
  return checkValue(schema, {}).filter(({ keyword }) => keyword === "$ref" || keyword === "timeout");
}

/** The parts of a schema that are not JSON Schema 2020-12, or that are not enforced as the standard has it. */
export function checkDialect(schema: JsonObject): Violation[] {
  try {
    const violations = within(compileTime, () => checkByDialect(schema, findViolations));
    if (violations.length > 0) return violations;
  } catch (error) {
    return [explainFailure(error)];
  }
  const compiled = compile(schema);
  return typeof compiled === "function" ? [] : [compiled];
}

/**
 * Checks a payload against a schema that `checkSchema` let through.
 *
 * @param payload null if there is none. A schema without types accepts null and `{}` alike, so it treats an absent payload
 *   as an empty object.
 * @returns the violations, each with its JSON pointer into the payload. A long list ends with the number of the rest
 */
export function checkPayload(schema: JsonObject, payload: unknown): Violation[] {
  if (isObject(payload)) return checkValue(schema, payload);
  if (payload !== null) return [{ path: "", keyword: "type", message: "must be an object" }];
  const violations = checkValue(schema, null);
  const saysTypes = violations.length > 0 || checkValue(schema, false).length > 0;
  return saysTypes ? violations : checkValue(schema, {});
}

/** Checks any JSON value against a schema that `checkSchema` let through. */
export function checkValue(schema: JsonObject, value: unknown): Violation[] {
  const compiled = compile(schema);
  if (typeof compiled !== "function") return [compiled];
  if (!isQuick(schema, value)) return run(compiled, value);
  return compiled(value) ? [] : listViolations(compiled.errors);
}

const options: Options = {
  allErrors: true,
  // `readDialect` and the metaschema find the violations of a schema.
  strict: false,
  logger: false,
  // Inherited members of objects, such as `toString`, are not properties of a payload.
  ownProperties: true,
  // Inlining lets a small schema grow into a huge function.
  inlineRefs: false,
  formats,
};

const metaschema = addKeywords(new Ajv2020(options));
// Ajv compiles the metaschema at its first use. A time limit that ended this would leave it useless, so it is compiled here.
metaschema.validateSchema({});

/** Checks a schema by the metaschema, whose patterns are trusted. */
const findViolations = (schema: unknown): Violation[] =>
  metaschema.validateSchema(schema as JsonObject) ? [] : listViolations(metaschema.errors);

const isEnforced = (format: string) => Object.hasOwn(formats, format);

/**
 * Compiled schemas by digest. A schema that cannot be compiled has its violation here. A timeout is not cached, since an
 * honest schema may time out on a busy machine.
 */
const compiledSchemas = new LRUCache<string, ValidateFunction | Violation>({ max: maxCompiledSchemas });

/** Digests of the schemas of a task, each of which is needed more than once. */
const digests = new WeakMap<JsonObject, Hex>();

/** Returns the `digestOf` a schema, computed once: a schema does not change. */
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
  const code = { regExp: linearRegExp };
  const ajv = addKeywords(new Ajv2020({ ...options, meta: false, validateSchema: false, code }));
  try {
    return within(compileTime, () => {
      const { schema: plain, violations } = readDialect(schema, isEnforced);
      return violations[0] ?? ajv.compile(plain);
    });
  } catch (error) {
    return explainFailure(error);
  }
}

/** Replaces the keywords that Ajv enforces differently from the standard, or too slowly. */
function addKeywords(ajv: Ajv2020): Ajv2020 {
  // Ajv's `uniqueItems` compares each pair of items, which takes minutes for a body full of small objects.
  ajv.removeKeyword("uniqueItems").addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (unique: boolean, items: unknown[]) =>
      !unique || new Set(items.map(keyOf)).size === items.length,
    error: { message: "must NOT have duplicate items" },
  });
  // Ajv's `enum` calls the member `valueOf` of a payload.
  ajv.removeKeyword("enum").addKeyword({
    keyword: "enum",
    schemaType: "array",
    compile: (choices: unknown[]) => isOneOf(choices),
    error: {
      message: "must be equal to one of the allowed values",
      params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
    },
  });
  ajv.removeKeyword("const").addKeyword({
    keyword: "const",
    compile: (choice: unknown) => isOneOf([choice]),
    error: {
      message: "must be equal to constant",
      params: ({ schemaCode }) => _`{allowedValue: ${schemaCode}}`,
    },
  });
  // Ajv's `multipleOf` divides floating-point numbers: 19.99 would be no multiple of 0.01.
  ajv.removeKeyword("multipleOf").addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    validate: (divisor: number, value: number) => isMultiple(value, divisor),
    error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
  });
  return ajv;
}

function isOneOf(choices: unknown[]): (value: unknown) => boolean {
  const spelled = new Set(choices.map(keyOf));
  const hasObjects = choices.some((choice) => typeof choice === "object");
  return (value) => (hasObjects || typeof value !== "object") && spelled.has(keyOf(value));
}

/** A key that only equal values share: a text with a quote before it, or canonical JSON. */
function keyOf(value: unknown): unknown {
  if (typeof value === "string") return `"${value}`;
  return typeof value === "object" ? canonicalize(value) : value;
}

function run(validate: ValidateFunction, payload: unknown): Violation[] {
  try {
    return within(checkTime, () => (validate(payload) ? [] : listViolations(validate.errors)));
  } catch (error) {
    const limit = explainLimit(error);
    // Any other error is a fault of the service, which the operator sees in the log.
    if (!limit) throw error;
    return [limit];
  }
}

const sandbox = vm.createContext({ work: null });
const callWork = new vm.Script("work()");

/**
 * Runs synchronous work under a time limit. Nested `allOf`s of references can double the work at each level, so bounds on
 * the size of schema and payload are not enough.
 */
function within<T>(milliseconds: number, work: () => T): T {
  sandbox.work = work;
  try {
    return callWork.runInContext(sandbox, { timeout: milliseconds });
  } finally {
    sandbox.work = null;
  }
}

/** Compiles patterns for Ajv, which compares patterns by their text. */
const linearRegExp = Object.assign(
  (pattern: string) => ({ ...compilePattern(pattern), toString: () => pattern }),
  { code: "linearRegExp" },
);

function explainFailure(error: unknown): Violation {
  const reason = error instanceof Error ? error.message : String(error);
  return (
    explainLimit(error) ?? {
      path: "",
      keyword: "schema",
      message: `cannot be used as a schema: ${reason}`,
    }
  );
}

/** Returns the violation of an endless or slow schema; null for any other error. */
function explainLimit(error: unknown): Violation | null {
  if (error instanceof RangeError) {
    return { path: "", keyword: "$ref", message: "refers to itself without end" };
  }
  // The sandbox creates this error, so `instanceof Error` is false.
  if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
    return { path: "", keyword: "timeout", message: "takes too long to be checked; simplify the schema" };
  }
  return null;
}

function listViolations(errors: readonly ErrorObject[] | null | undefined): Violation[] {
  const all = [
    ...new Map((errors ?? []).map(presentError).map((one) => [JSON.stringify(one), one])).values(),
  ];
  if (all.length <= maxViolations) return all;
  const shown = all.slice(0, maxViolations - 1);
  const message = `${all.length - shown.length} more violations are not listed`;
  return [...shown, { path: "", keyword: "limit", message }];
}

function presentError(error: ErrorObject): Violation {
  const { instancePath, keyword, params, message = "is not valid" } = error;
  // Ajv reports these keywords at the object. The path here names the member.
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
