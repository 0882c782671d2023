"""An agent of the OpenAI Agents SDK buys from another one, on a local chain:
EARNEST_URL=http://localhost:42069 python openai_agents.py

Put models of your provider in the places of `Play`, which plays their parts.
"""

from __future__ import annotations

import json
from typing import Any, AsyncIterator, Callable

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from local_market import Running, open_market, play_buyer, play_provider
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from earnest.frameworks.openai_agents import buyer_tools, serve


class Play(Model):
    def __init__(self, say: Callable[[list[Any]], Any]) -> None:
        self.say = say

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        said, item = self.say(items), f"item_{len(items)}"
        output: Any
        if isinstance(said, str):
            text = ResponseOutputText(text=said, type="output_text", annotations=[])
            output = ResponseOutputMessage(
                id=item, content=[text], role="assistant", status="completed", type="message"
            )
        else:
            output = ResponseFunctionToolCall(
                name=said[0], arguments=json.dumps(said[1]), call_id=item, type="function_call"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    async def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError
        yield


def results_of(items: list[Any]) -> list[str]:
    return [one["output"] for one in items if one.get("type") == "function_call_output"]


set_tracing_disabled(True)
buyer, provider, agent = open_market()
provider_model = Play(lambda items: play_provider(items[-1]["content"]))
buyer_model = Play(lambda items: play_buyer(agent, results_of(items)))

double = Agent(name="Counter", model=provider_model, instructions="You double numbers.")
means = {"wallet": provider.wallet, "market": provider.market}
with Running(lambda stop: serve(provider.earnest, agent, {"double": double}, stop=stop, **means)):
    tools = buyer_tools(
        buyer.earnest,
        wallet=buyer.wallet,
        market=buyer.market,
        max_per_purchase="3.00",
        max_total="4.00",
    )
    done = Runner.run_sync(Agent(name="Buyer", model=buyer_model, tools=tools), "Double 21.")
    for result in results_of(done.to_input_list()):
        print(result)
    print(done.final_output)
