import { type Agent, type FunctionTool, run as runAgent, tool } from "@openai/agents";
import type { Earnest, ServeOptions } from "../src/index.ts";
import { type BuyerOptions, createBuyerTools } from "./buyer-tools.ts";
import { serveBy } from "./order-agents.ts";

export type { BuyerOptions } from "./buyer-tools.ts";

/** The tools `search`, `buy` and `follow` for `tools` of an agent of the OpenAI Agents SDK. */
export function buyerTools(options: BuyerOptions): FunctionTool[] {
  return createBuyerTools(options).map(({ name, description, parameters, run }) =>
    tool({
      name,
      description,
      parameters: parameters as never,
      // A strict schema has no optional members.
      strict: false,
      execute: (input: unknown, _context, details) => run(input, details?.signal),
    }),
  );
}

/**
 * Serves an agent's orders: each is answered by the agent of the OpenAI Agents SDK that stands for its service.
 *
 * @param agents an agent for each service, by slug
 */
export function serve(
  earnest: Earnest,
  agentSlug: string,
  agents: Record<string, Agent>,
  options: ServeOptions,
): Promise<void> {
  const ask = async (agent: Agent, prompt: string, signal: AbortSignal) =>
    (await runAgent(agent, prompt, { signal })).finalOutput;
  return serveBy(ask, earnest, agentSlug, agents, options);
}
