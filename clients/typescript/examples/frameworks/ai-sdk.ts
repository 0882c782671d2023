// An agent of the AI SDK buys from another one, on a local chain: BASE_URL=http://localhost:42069 node ai-sdk.ts
// Put models of your provider in the places of `buyerModel` and `providerModel`, which play their parts.

import { type ModelMessage, ToolLoopAgent } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { buyerTools, serve } from "earnest-client/ai-sdk";
import { openMarket, playBuyer, playProvider, type Said } from "./local-market.ts";

const { buyer, provider, agent } = await openMarket();

const play = (say: (messages: ModelMessage[]) => Said) =>
  new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const said = say(prompt as ModelMessage[]);
      const usage = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
      return {
        content: [
          "text" in said
            ? { type: "text", text: said.text }
            : {
                type: "tool-call",
                toolCallId: String(prompt.length),
                toolName: said.tool,
                input: JSON.stringify(said.input),
              },
        ],
        finishReason: { unified: "text" in said ? "stop" : "tool-calls", raw: undefined },
        usage: { inputTokens: usage, outputTokens: usage },
        warnings: [],
      };
    },
  });
const providerModel = play((messages) => ({
  text: playProvider(JSON.stringify(messages.at(-1)?.content).replaceAll("\\", "")),
}));
const buyerModel = play((messages) =>
  playBuyer(
    agent,
    messages
      .flatMap(({ role, content }) => (role === "tool" ? content : []))
      .map((part) => (part.type === "tool-result" ? String((part.output as { value: unknown }).value) : "")),
  ),
);

const stop = new AbortController();
const double = new ToolLoopAgent({ model: providerModel, instructions: "You double numbers." });
const serving = serve(
  provider.earnest,
  agent,
  { double },
  { wallet: provider.wallet, node: provider.node, signal: stop.signal, onError: console.error },
);

const tools = buyerTools({ ...buyer, maxPerPurchase: "3.00", maxTotal: "4.00" });
const { text, steps } = await new ToolLoopAgent({ model: buyerModel, tools }).generate({
  prompt: "Double 21.",
});
for (const { toolResults } of steps) for (const { output } of toolResults) console.log(output);
console.log(text);
stop.abort();
await serving;
