"""Tools and agents of LangChain and LangGraph: `pip install 'earnest-client[langchain]'`."""

from __future__ import annotations

from typing import Any, Mapping

from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool, StructuredTool

from ..client import Earnest
from ._buyer import BuyerTool, create_buyer_tools
from ._provider import serve_by


def buyer_tools(earnest: Earnest, **options: Any) -> list[BaseTool]:
    """Returns the tools `search`, `buy` and `follow` for an agent, and for `bind_tools`.

    Args:
        options: `wallet`, `market`, `max_per_purchase`, `max_total` and `pay_with` as of a purchase
    """

    def tool_of(one: BuyerTool) -> BaseTool:
        def run(**given: Any) -> str:
            return one.run(given)

        return StructuredTool.from_function(
            run, name=one.name, description=one.description, args_schema=one.schema
        )

    return [tool_of(one) for one in create_buyer_tools(earnest, **options)]


def serve(earnest: Earnest, agent_slug: str, agents: Mapping[str, Any], **options: Any) -> None:
    """Serves an agent's orders: each is answered by the LangChain agent that stands for its service.

    Args:
        agents: an agent as `create_agent` makes for each service, by slug
        options: those of `Earnest.serve`
    """

    def ask(agent: Any, prompt: str) -> Any:
        state = agent.invoke({"messages": [HumanMessage(prompt)]})
        return state.get("structured_response") or state["messages"][-1].text

    serve_by(ask, earnest, agent_slug, agents, options)
