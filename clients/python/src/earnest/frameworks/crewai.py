"""Tools and agents of CrewAI: `pip install 'earnest-client[crewai]'`."""

from __future__ import annotations

from typing import Any, Mapping

from crewai.tools import BaseTool  # pyright: ignore[reportMissingImports]
from pydantic import PrivateAttr

from ..client import Earnest
from ._buyer import BuyerTool, create_buyer_tools
from ._provider import serve_by


class _CrewTool(BaseTool):  # type: ignore[misc, unused-ignore]
    _tool: BuyerTool = PrivateAttr()

    def __init__(self, tool: BuyerTool) -> None:
        super().__init__(
            name=tool.name,
            description=tool.description,
            args_schema=tool.schema,
            # A crew may cache results. Each call has a result of its own.
            cache_function=lambda *_: False,
        )
        self._tool = tool

    def _run(self, **given: Any) -> str:
        return self._tool.run(given)


def buyer_tools(earnest: Earnest, **options: Any) -> list[BaseTool]:
    """Returns the tools `search`, `buy` and `follow` for an agent or a task.

    Args:
        options: `wallet`, `market`, `max_per_purchase`, `max_total` and `pay_with` as of a purchase
    """
    return [_CrewTool(one) for one in create_buyer_tools(earnest, **options)]


def serve(earnest: Earnest, agent_slug: str, agents: Mapping[str, Any], **options: Any) -> None:
    """Serves an agent's orders: each is answered by the CrewAI agent that stands for its service.

    Args:
        agents: an agent for each service, by slug
        options: those of `Earnest.serve`
    """

    def ask(agent: Any, prompt: str) -> Any:
        return agent.kickoff(prompt).raw

    serve_by(ask, earnest, agent_slug, agents, options)
