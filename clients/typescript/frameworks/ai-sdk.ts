import { type Agent, dynamicTool, jsonSchema, type ToolSet } from "ai";
import type { Earnest, ServeOptions } from "../src/index.ts";
import { type BuyerOptions, createBuyerTools } from "./buyer-tools.ts";
import { serveBy } from "./order-agents.ts";

export type { BuyerOptions } from "./buyer-tools.ts";

/** The tools `search`, `buy` and `follow` for the AI SDK: `tools` of an agent, of `generateText` and `streamText`. */
export function buyerTools(options: BuyerOptions): ToolSet {
  const tools = createBuyerTools(options).map(({ name, description, parameters, run }) => {
    const inputSchema = jsonSchema(parameters);
    const execute = (input: unknown, call: { abortSignal?: AbortSignal | undefined }) =>
      run(input, call.abortSignal);
    return [name, dynamicTool({ description, inputSchema, execute })] as const;
  });
  return Object.fromEntries(tools);
}

/**
 * Serves an agent's orders: each is answered by the agent of the AI SDK that stands for its service.
 *
 * @param agents an agent such as a `ToolLoopAgent` for each service, by slug
 */
export function serve(
  earnest: Earnest,
  agentSlug: string,
  agents: Record<string, Agent<never, ToolSet>>,
  options: ServeOptions,
): Promise<void> {
  const ask = async (agent: Agent<never, ToolSet>, prompt: string, abortSignal: AbortSignal) =>
    (await agent.generate({ prompt, abortSignal })).text;
  return serveBy(ask, earnest, agentSlug, agents, options);
}
