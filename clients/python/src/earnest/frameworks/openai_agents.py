"""Tools and agents of the OpenAI Agents SDK: `pip install 'earnest-client[openai-agents]'`."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Mapping

from agents import Agent, FunctionTool, Runner, Tool

from ..client import Earnest
from ._buyer import BuyerTool, create_buyer_tools
from ._provider import serve_by


def buyer_tools(earnest: Earnest, **options: Any) -> list[Tool]:
    """Returns the tools `search`, `buy` and `follow` for an agent.

    Args:
        options: `wallet`, `market`, `max_per_purchase`, `max_total` and `pay_with` as of a purchase
    """

    def tool_of(one: BuyerTool) -> Tool:
        async def run(_: Any, given: str) -> str:
            return await asyncio.to_thread(one.run, _read(given))

        # A strict schema has no optional members.
        return FunctionTool(
            name=one.name,
            description=one.description,
            params_json_schema=one.schema.model_json_schema(),
            on_invoke_tool=run,
            strict_json_schema=False,
        )

    return [tool_of(one) for one in create_buyer_tools(earnest, **options)]


def _read(given: str) -> Any:
    """Reads the arguments of a call. The tool refuses a text that is no JSON, as it refuses other invalid arguments."""
    try:
        return json.loads(given or "{}")
    except ValueError:
        return given


def serve(earnest: Earnest, agent_slug: str, agents: Mapping[str, Agent[Any]], **options: Any) -> None:
    """Serves an agent's orders: each is answered by the agent of the OpenAI Agents SDK that stands for its service.

    Args:
        agents: an agent for each service, by slug
        options: those of `Earnest.serve`
    """

    def ask(agent: Agent[Any], prompt: str) -> Any:
        return asyncio.run(Runner.run(agent, prompt)).final_output

    serve_by(ask, earnest, agent_slug, agents, options)
