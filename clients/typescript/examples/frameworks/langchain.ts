// An agent of LangChain buys from another one, on a local chain: BASE_URL=http://localhost:42069 node langchain.ts
// Put models of your provider in the places of `buyerModel` and `providerModel`, which play their parts.

import { buyerTools, serve } from "earnest-client/langchain";
import { AIMessage, type BaseMessage, createAgent, fakeModel } from "langchain";
import { openMarket, playBuyer, playProvider, type Said } from "./local-market.ts";

const { buyer, provider, agent } = await openMarket();

const play = (turns: number, say: (messages: BaseMessage[]) => Said) => {
  const turn = (messages: BaseMessage[]) => {
    const said = say(messages);
    if ("text" in said) return new AIMessage(said.text);
    return new AIMessage({
      content: "",
      tool_calls: [{ name: said.tool, args: said.input, id: `call_${messages.length}` }],
    });
  };
  let model = fakeModel();
  for (let at = 0; at < turns; at++) model = model.respond(turn);
  return model;
};
const resultsOf = (messages: BaseMessage[]) =>
  messages.filter(({ type }) => type === "tool").map(({ text }) => text);
const providerModel = play(1, (messages) => ({ text: playProvider(messages.at(-1)?.text ?? "") }));
const buyerModel = play(7, (messages) => playBuyer(agent, resultsOf(messages)));

const stop = new AbortController();
const double = createAgent({ model: providerModel, systemPrompt: "You double numbers." });
const serving = serve(
  provider.earnest,
  agent,
  { double },
  { wallet: provider.wallet, node: provider.node, signal: stop.signal, onError: console.error },
);

const tools = buyerTools({ ...buyer, maxPerPurchase: "3.00", maxTotal: "4.00" });
const buyerAgent = createAgent({ model: buyerModel, tools });
const { messages } = await buyerAgent.invoke({ messages: [{ role: "user", content: "Double 21." }] });
for (const result of resultsOf(messages)) console.log(result);
console.log(messages.at(-1)?.text);
stop.abort();
await serving;
