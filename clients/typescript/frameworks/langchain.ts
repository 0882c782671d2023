import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { DynamicStructuredTool } from "@langchain/core/tools";
import type { Earnest, ServeOptions } from "../src/index.ts";
import { type BuyerOptions, createBuyerTools } from "./buyer-tools.ts";
import { serveBy } from "./order-agents.ts";

export type { BuyerOptions } from "./buyer-tools.ts";

/** An agent of LangChain or LangGraph, such as `createAgent` makes. */
interface MessageAgent {
  invoke(
    state: { messages: BaseMessage[] },
    config: { signal: AbortSignal },
  ): Promise<{ messages: BaseMessage[]; structuredResponse?: unknown }>;
}

/** The tools `search`, `buy` and `follow` for `tools` of `createAgent`, and for `bindTools`. */
export function buyerTools(options: BuyerOptions): DynamicStructuredTool[] {
  return createBuyerTools(options).map(
    ({ name, description, parameters, run }) =>
      new DynamicStructuredTool({
        name,
        description,
        schema: parameters,
        func: (input: unknown, _manager, config) => run(input, config?.signal),
      }),
  );
}

/**
 * Serves an agent's orders: each is answered by the LangChain agent that stands for its service.
 *
 * @param agents an agent for each service, by slug
 */
export function serve(
  earnest: Earnest,
  agentSlug: string,
  agents: Record<string, MessageAgent>,
  options: ServeOptions,
): Promise<void> {
  const ask = async (agent: MessageAgent, prompt: string, signal: AbortSignal) => {
    const { messages, structuredResponse } = await agent.invoke(
      { messages: [new HumanMessage(prompt)] },
      { signal },
    );
    return structuredResponse ?? messages.at(-1)?.text;
  };
  return serveBy(ask, earnest, agentSlug, agents, options);
}
