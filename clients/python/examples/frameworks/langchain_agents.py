"""An agent of LangChain buys from another one, on a local chain: EARNEST_URL=http://localhost:42069 python langchain_agents.py

Put models of your provider in the places of `Play`, which plays their parts.
"""

from __future__ import annotations

from typing import Any, Callable

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from local_market import Running, open_market, play_buyer, play_provider

from earnest.frameworks.langchain import buyer_tools, serve


class Play(BaseChatModel):
    say: Callable[[list[BaseMessage]], Any]

    @property
    def _llm_type(self) -> str:
        return "play"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        said = self.say(messages)
        if isinstance(said, str):
            message = AIMessage(said)
        else:
            call = {"name": said[0], "args": said[1], "id": f"call_{len(messages)}"}
            message = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


def results_of(messages: list[BaseMessage]) -> list[str]:
    return [one.text for one in messages if one.type == "tool"]


buyer, provider, agent = open_market()
provider_model = Play(say=lambda messages: play_provider(messages[-1].text))
buyer_model = Play(say=lambda messages: play_buyer(agent, results_of(messages)))

double = create_agent(provider_model, system_prompt="You double numbers.")
means = {"wallet": provider.wallet, "market": provider.market}
with Running(lambda stop: serve(provider.earnest, agent, {"double": double}, stop=stop, **means)):
    tools = buyer_tools(
        buyer.earnest,
        wallet=buyer.wallet,
        market=buyer.market,
        max_per_purchase="3.00",
        max_total="4.00",
    )
    task: Any = {"messages": [{"role": "user", "content": "Double 21."}]}
    done = create_agent(buyer_model, tools).invoke(task)["messages"]
    for result in results_of(done):
        print(result)
    print(done[-1].text)
