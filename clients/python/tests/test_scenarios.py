"""What all clients do against a real service, over a bad network: clients/scenarios."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Iterator

import pytest
from stage import play, stage_url
from vectors import read_vectors

file = read_vectors("clients/scenarios/scenarios.json")
names = [one["name"] for one in file["scenarios"]]


@pytest.fixture(scope="module")
def outcomes() -> Iterator[dict[str, Future[None]]]:
    """A scenario mostly waits for blocks, so all scenarios run at once."""
    scenarios: list[Any] = file["scenarios"]
    with ThreadPoolExecutor(len(scenarios)) as threads:
        yield {one["name"]: threads.submit(play, stage_url(), one, file["before"]) for one in scenarios}


@pytest.mark.parametrize("name", names)
def test_over_a_bad_network(name: str, outcomes: dict[str, Future[None]]) -> None:
    outcomes[name].result(timeout=600)
