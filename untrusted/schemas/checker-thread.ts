// Runs in threads of its own, so that no schema or payload of a caller delays requests or blocks.

import { setPriority } from "node:os";
import { parseJson } from "../../protocol/json/parse.ts";
import type { AgreedDigests } from "../../protocol/settlement/agreement.ts";
import { digestOf, digestOrNull } from "../../protocol/settlement/digest.ts";
import { checkPayload, checkSchema, digestOfSchema, type Violation } from "./payloads.ts";

// Only Linux knows a priority of one thread; elsewhere this would slow the whole process.
if (process.platform === "linux") setPriority(0, 5);

type JsonObject = Record<string, unknown>;

/** The tasks of the threads. Each takes JSON and returns JSON. */
const tasks = {
  schema: ({ schema }: { schema: unknown }): Violation[] => checkSchema(schema),

  placement: (deal: {
    inputSchema: JsonObject | null;
    outputSchema: JsonObject | null;
    inputPayload: JsonObject | null;
  }): { violations: Violation[]; digests: AgreedDigests } => ({
    violations: deal.inputSchema ? checkPayload(deal.inputSchema, deal.inputPayload) : [],
    digests: {
      inputSchema: deal.inputSchema && digestOfSchema(deal.inputSchema),
      outputSchema: deal.outputSchema && digestOfSchema(deal.outputSchema),
      input: digestOrNull(deal.inputPayload),
    },
  }),

  delivery: ({ schema, output }: { schema: JsonObject | null; output: JsonObject | null }) => ({
    violations: schema ? checkPayload(schema, output) : [],
    digest: digestOf(output),
  }),

  digests: (values: unknown[]) => values.map(digestOf),
};

export type Tasks = typeof tasks;

/** A task as JSON text, which crosses between threads at less cost than objects. */
export type TaskMessage = { name: keyof Tasks; json: string };

/**
 * The result of a task, or the error that it threw, and the milliseconds that it took. They are processor time, so that a busy
 * machine costs callers nothing. A task that reached its time limit counts with its elapsed time, since it held the thread.
 */
export type TaskResult = { spent: number } & ({ result: unknown } | { fault: unknown });

/** @param hasBegun set to 1 here, because the loading of the thread is not part of the task */
export default function run({ name, json, hasBegun }: TaskMessage & { hasBegun: Int32Array }): TaskResult {
  hasBegun[0] = 1;
  const [began, { user, system }] = [performance.now(), process.threadCpuUsage()];
  const processorTime = () => {
    const now = process.threadCpuUsage();
    return (now.user + now.system - user - system) / 1000;
  };
  try {
    const result = (tasks[name] as (task: unknown) => unknown)(parseJson(json));
    return { result, spent: isTimeout(result) ? performance.now() - began : processorTime() };
  } catch (fault) {
    return { fault, spent: processorTime() };
  }
}

function isTimeout(result: unknown): boolean {
  const { violations = result } = result as { violations?: unknown };
  return (
    Array.isArray(violations) && violations.some((one) => (one as Violation | null)?.keyword === "timeout")
  );
}
