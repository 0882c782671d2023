"""An agent of CrewAI buys from another one, on a local chain: EARNEST_URL=http://localhost:42069 python crewai_agents.py

Put models of your provider in the places of `Play`, which plays their parts.
"""

from __future__ import annotations

import json
from typing import Any, Callable

from crewai import Agent, BaseLLM
from local_market import Running, open_market, play_buyer, play_provider

from earnest.frameworks.crewai import buyer_tools, serve


class Play(BaseLLM):  # type: ignore[misc, unused-ignore]
    """Answers in the form by which CrewAI calls tools of a model without function calls."""

    say: Callable[[list[Any]], Any]

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        said = self.say(messages)
        if isinstance(said, str):
            return f"Thought: I now know the final answer\nFinal Answer: {said}"
        return f"Thought: I use a tool\nAction: {said[0]}\nAction Input: {json.dumps(said[1])}"

    def supports_function_calling(self) -> bool:
        return False


def results_of(messages: list[Any]) -> list[str]:
    said = [one["content"] for one in messages if one["role"] == "assistant"]
    return [part for text in said for part in text.split("Observation: ")[1:]]


buyer, provider, agent = open_market()
seen: list[Any] = []


def say(messages: list[Any]) -> Any:
    seen[:] = messages
    return play_buyer(agent, results_of(messages))


provider_model = Play(model="play", say=lambda messages: play_provider(messages[-1]["content"]))
buyer_model = Play(model="play", say=say)

double = Agent(role="Counter", goal="Double numbers", backstory="You double numbers.", llm=provider_model)
means = {"wallet": provider.wallet, "market": provider.market}
with Running(lambda stop: serve(provider.earnest, agent, {"double": double}, stop=stop, **means)):
    tools = buyer_tools(
        buyer.earnest,
        wallet=buyer.wallet,
        market=buyer.market,
        max_per_purchase="3.00",
        max_total="4.00",
    )
    done = Agent(
        role="Buyer", goal="Double numbers", backstory="You buy services.", llm=buyer_model, tools=tools
    ).kickoff("Double 21.")
    for result in results_of(seen):
        print(result)
    print(done.raw)
