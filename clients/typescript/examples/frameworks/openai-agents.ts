// An agent of the OpenAI Agents SDK buys from another one, on a local chain: BASE_URL=http://localhost:42069 node openai-agents.ts
// Put models of your provider in the places of `buyerModel` and `providerModel`, which play their parts.

import { Agent, type AgentInputItem, run, setTracingDisabled } from "@openai/agents";
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from "@openai/agents/testing";
import { buyerTools, serve } from "earnest-client/openai-agents";
import { openMarket, playBuyer, playProvider, type Said } from "./local-market.ts";

setTracingDisabled(true);
const { buyer, provider, agent } = await openMarket();

const play = (turns: number, say: (items: AgentInputItem[]) => Said) => {
  const turn = modelResponder(({ request: { input } }) => {
    const items = typeof input === "string" ? [{ role: "user" as const, content: input }] : input;
    const said = say(items);
    return [
      "text" in said
        ? assistantMessage(said.text)
        : functionCall(said.tool, said.input, { callId: `call_${items.length}` }),
    ];
  });
  return new ScriptedModel(Array.from({ length: turns }, () => turn));
};
const resultOf = (item: AgentInputItem): string[] =>
  item.type === "function_call_result" ? [(item.output as { text: string }).text] : [];
const providerModel = play(1, ([order]) => ({
  text: playProvider(String((order as { content: unknown }).content)),
}));
const buyerModel = play(7, (items) => playBuyer(agent, items.flatMap(resultOf)));

const stop = new AbortController();
const double = new Agent({ name: "Counter", model: providerModel, instructions: "You double numbers." });
const serving = serve(
  provider.earnest,
  agent,
  { double },
  { wallet: provider.wallet, node: provider.node, signal: stop.signal, onError: console.error },
);

const tools = buyerTools({ ...buyer, maxPerPurchase: "3.00", maxTotal: "4.00" });
const { history, finalOutput } = await run(
  new Agent({ name: "Buyer", model: buyerModel, tools }),
  "Double 21.",
);
for (const result of history.flatMap(resultOf)) console.log(result);
console.log(finalOutput);
stop.abort();
await serving;
