import type { CallToolResult, Tool as ListedTool } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Scope } from "../src/index.ts";
import { explainFailure } from "./failure.ts";
import { RefusedCall, type ToolContext } from "./tool-context.ts";
import { requireScopes } from "./tool-scopes.ts";
import { writeText } from "./untrusted-text.ts";

/** The abort signal and progress reports of a running call. */
export interface Call {
  /** Aborts if the caller disconnects or cancels. */
  signal: AbortSignal;
  /** Reports progress, if the caller asked for it. */
  progress(done: number, total: number, message: string): Promise<void>;
}

/** The result of a tool: a sentence without user text, and the fields. */
export interface ToolResult<Shown> {
  sentence: string;
  fields: Shown;
}

export interface Tool {
  name: string;
  title: string;
  /** The scopes that a key needs. Empty accepts any key; null needs no key. */
  scopes: readonly Scope[] | null;
  describe(): ListedTool;
  /** Runs the tool. A failure is a result with the reason; it never throws. */
  call(context: ToolContext, input: unknown, call: Call): Promise<CallToolResult>;
}

type Fields = Record<string, unknown>;

/** The MCP hints for each kind of tool. */
const hints = {
  reads: { readOnlyHint: true },
  /** Creates something. A repetition with the same key creates nothing. */
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  /** Moves money or ends something permanently. A repetition has no effect. */
  ends: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
} as const;

/** Defines a tool by its function, schemas and descriptions. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(parts: {
  name: string;
  title: string;
  description: string;
  scopes: readonly Scope[] | null;
  does: keyof typeof hints;
  input: Input;
  output: Output;
  run(context: ToolContext, input: z.output<Input>, call: Call): Promise<ToolResult<z.input<Output>>>;
}): Tool {
  const { name, title, description, scopes, does, input, output, run } = parts;
  let listed: ListedTool | undefined;
  return {
    name,
    title,
    scopes,
    describe() {
      listed ??= {
        name,
        title,
        description,
        inputSchema: schemaOf(input),
        annotations: hints[does],
      };
      return listed;
    },
    async call(context, given, call) {
      try {
        requireScopes(name, scopes, context);
        const read = input.safeParse(given ?? {});
        if (!read.success) throw new RefusedCall("invalid_arguments", z.prettifyError(read.error));
        const { sentence, fields } = await run(context, read.data, call);
        const structuredContent = output.parse(fields) as Fields;
        return {
          content: [{ type: "text", text: writeText(sentence, structuredContent) }],
          structuredContent,
        };
      } catch (error) {
        return explain(error);
      }
    },
  };
}

/** The largest list of all tools, in bytes. An assistant reads the list in each conversation. */
export const largestList = 25_000;

/**
 * The schema of a tool's input. Results have no listed schema: `defineTool` checks them, and the list stays below
 * `largestList`. The members that the protocol implies are left out.
 */
function schemaOf(input: z.ZodObject): ListedTool["inputSchema"] {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: "input",
    override({ jsonSchema }) {
      // Neither false, which a refusal says, nor the empty schema, which allows anything, tells an assistant more.
      const { additionalProperties: others } = jsonSchema;
      if (others === false || (typeof others === "object" && Object.keys(others).length === 0)) {
        delete jsonSchema.additionalProperties;
      }
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      // The name or the description says the form, and a refusal names it.
      delete jsonSchema.pattern;
      // An empty text and a number below 1 are refused.
      if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
      if (jsonSchema.minimum === 1) delete jsonSchema.minimum;
      if (jsonSchema.description === "") delete jsonSchema.description;
      delete jsonSchema.propertyNames;
    },
  });
  return schema as ListedTool["inputSchema"];
}

/** Converts an error to a result with its stable code, message and details. */
function explain(error: unknown): CallToolResult {
  const { text, fields } = explainFailure(error);
  return { isError: true, content: [{ type: "text", text }], _meta: { "earnest/error": fields } };
}
