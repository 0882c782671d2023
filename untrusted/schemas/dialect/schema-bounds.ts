/** Bounds on the schemas that callers write and on the payloads that they describe. */

/** Bytes of JSON of the largest schema. */
export const maxSchemaBytes = 64 * 1024;

/** Levels of the deepest schema. Compiling a schema recurses. */
export const maxSchemaDepth = 64;

/** Milliseconds to compile a schema. An honest schema takes a few. */
export const compileTime = 2000;

/** Milliseconds to check one payload. An honest check takes a few. */
export const checkTime = 500;

/** Violations in one list. The last of a longer list counts the rest. */
export const maxViolations = 100;

/** Compiled schemas in the cache of one thread. */
export const maxCompiledSchemas = 100;
