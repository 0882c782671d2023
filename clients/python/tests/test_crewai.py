"""The example of CrewAI. `npm run test:doors` installs CrewAI and runs it."""

from __future__ import annotations

from test_frameworks import check_trade, id_in, run_example


def test_an_agent_searches_buys_once_and_accepts_and_another_serves() -> None:
    # CrewAI itself refuses the repeated call, because it equals the last one.
    lines = run_example("crewai_agents")
    check_trade(lines, id_in(lines[1]))
