import type { CallToolResult, Tool as ListedTool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { ApiError, ConnectionError, EarnestError, type Scope } from "../src/index.ts";
import { RefusedCall, type ToolContext } from "./tool-context.ts";
import { markUntrusted, writeText } from "./untrusted-text.ts";

/** What a running call may say and hear. */
export interface Call {
  /** Aborts where the caller went away, or cancelled. */
  signal: AbortSignal;
  /** Tells how far it is, to a caller who asked to be told. */
  progress(done: number, total: number, message: string): Promise<void>;
}

/** What a tool gives: a sentence of the service's own words, and the facts. */
export interface ToolResult<Facts> {
  sentence: string;
  facts: Facts;
}

export interface Tool {
  name: string;
  title: string;
  /** What a key has to have; null for what anybody may do. Empty: any key. */
  scopes: readonly Scope[] | null;
  describe(): ListedTool;
  /** Never throws: what fails is a result that says why. */
  call(context: ToolContext, input: unknown, call: Call): Promise<CallToolResult>;
}

type Fields = Record<string, unknown>;

/** What a tool does to the world, as its hints say it. */
const hints = {
  reads: { readOnlyHint: true, openWorldHint: true },
  /** Adds, and done again with the same key adds nothing. */
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  /** Moves money, or ends what cannot be begun again; done again it does nothing more. */
  ends: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
} as const;

/** Makes a tool of a function, its schemas and its words. */
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
        inputSchema: z.toJSONSchema(input, { io: "input" }) as ListedTool["inputSchema"],
        outputSchema: z.toJSONSchema(output) as ListedTool["outputSchema"],
        annotations: { title, ...hints[does] },
      };
      return listed;
    },
    async call(context, given, call) {
      try {
        requireScopes(name, scopes, context);
        const read = input.safeParse(given ?? {});
        if (!read.success) throw new RefusedCall("invalid_arguments", z.prettifyError(read.error));
        const { sentence, facts } = await run(context, read.data, call);
        const structuredContent = output.parse(facts) as Fields;
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

/** Whether a key lets its holder use what needs these scopes. */
export function mayUse(
  scopes: readonly Scope[] | null,
  { scopes: held }: Pick<ToolContext, "scopes">,
): boolean {
  if (scopes === null) return true;
  return held !== null && scopes.every((scope) => held.includes(scope));
}

/** @throws RefusedCall that says which key is needed, and where it is made */
export function requireScopes(what: string, scopes: readonly Scope[] | null, context: ToolContext): void {
  if (mayUse(scopes, context)) return;
  const needed = scopes?.length ? ` with the scopes ${scopes.join(" and ")}` : "";
  const lacks =
    context.scopes === null
      ? "No key was sent."
      : `This key has only: ${context.scopes.join(", ") || "no scope"}.`;
  throw new RefusedCall(
    context.scopes === null ? "unauthenticated" : "insufficient_scope",
    `${what} needs an API key${needed}. ${lacks} The account's owner makes a key at ${context.keysUrl} and puts it into this connection's settings. Do not try again before that.`,
  );
}

/** A failure as a result: its stable code, what was wrong, and what it is about. */
function explain(error: unknown): CallToolResult {
  const { untrusted, ...facts } = describeFailure(error);
  const all = { error: untrusted ? { ...facts, untrusted } : facts };
  return {
    isError: true,
    content: [{ type: "text", text: writeText(`${facts.code}: ${facts.message}`, all) }],
    _meta: { "earnest/error": all.error },
  };
}

type Failure = { code: string; message: string; untrusted?: Fields } & Fields;

function describeFailure(error: unknown): Failure {
  if (error instanceof RefusedCall) return { code: error.code, message: error.message };
  if (error instanceof ApiError) {
    const body = error.body as { error?: unknown } | null;
    const envelope = typeof body === "object" && typeof body?.error === "object" ? body.error : {};
    // What a code adds of its own, as `spend_limit`, is told as it is.
    const { code: _, message: told, request_id: __, details: ___, ...more } = { ...envelope } as Fields;
    return {
      ...more,
      code: error.code,
      message: typeof told === "string" ? told : error.message,
      status: error.status,
      request_id: error.requestId,
      retry_after_seconds: error.retryAfter,
      // They may name members of a stranger's schema.
      ...(error.details.length > 0 ? { untrusted: markUntrusted({ details: error.details }) } : {}),
    };
  }
  if (error instanceof ConnectionError) {
    return {
      code: "no_answer",
      message: `${error.message} What was asked for may be done: make the same call again with the same idempotency_key.`,
    };
  }
  if (error instanceof EarnestError) {
    const code = error.name
      .replace(/Error$/, "")
      .replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`)
      .toLowerCase();
    return { code, message: error.message };
  }
  if (error instanceof DOMException && (error.name === "AbortError" || error.name === "TimeoutError")) {
    return { code: "ended", message: "The call was ended before it was answered. Make the same call again." };
  }
  if (error instanceof TypeError) return { code: "invalid_arguments", message: error.message };
  return {
    code: "internal_error",
    message: "This tool failed. Make the same call again; report it if it stays.",
  };
}
