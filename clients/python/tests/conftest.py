from __future__ import annotations

import asyncio
import inspect
import random
import signal
from importlib.util import find_spec
from typing import Any, Callable, Generator, Iterator

import pytest
from flaky import FlakyServer

from earnest import AsyncEarnest, Earnest

# `npm run test:doors` runs these, with their packages.
collect_ignore = [f"test_{name}.py" for name in ("crewai", "x402") if find_spec(name) is None]

LONGEST = 300
"""Seconds that a test may take, on a machine that is busy with the other clients' tests."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Ends a test that waits too long. The failure shows the log."""

    def end(*_: object) -> None:
        raise AssertionError(f"{item.name} did not end within {LONGEST} seconds.")

    if not hasattr(signal, "SIGALRM"):
        return (yield)
    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(LONGEST)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def server() -> Iterator[FlakyServer]:
    flaky = FlakyServer()
    yield flaky
    flaky.close()


@pytest.fixture
def no_jitter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens all waits."""
    monkeypatch.setattr(random, "random", lambda: 0.0)


class Blocking:
    """Awaits the method or resource of an async client, so that each test covers both clients."""

    def __init__(self, inner: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.inner = inner
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        member = getattr(self.inner, name)
        is_data = member is None or isinstance(member, (str, int, list, dict))
        return member if is_data else Blocking(member, self._loop)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        unwrapped = [arg.inner if isinstance(arg, Blocking) else arg for arg in args]
        result = self.inner(*unwrapped, **kwargs)
        if inspect.isawaitable(result):
            return self._wrap(self._loop.run_until_complete(_wait(result)))
        return self._wrap(result)

    def _wrap(self, result: Any) -> Any:
        return Blocking(result, self._loop) if type(result).__name__.startswith("Async") else result

    def __iter__(self) -> Iterator[Any]:
        iterator = self.inner.__aiter__()
        try:
            while True:
                try:
                    yield self._loop.run_until_complete(_wait(iterator.__anext__()))
                except StopAsyncIteration:
                    return
        finally:
            # A loop closes its iterator in the same way.
            if inspect.isasyncgen(iterator):
                self._loop.run_until_complete(iterator.aclose())


async def _wait(awaitable: Any) -> Any:
    return await awaitable


@pytest.fixture(params=["sync", "async"])
def client(request: pytest.FixtureRequest, server: FlakyServer) -> Iterator[Callable[..., Any]]:
    """Makes clients of the server: once `Earnest`, and once `AsyncEarnest`."""
    if request.param == "sync":
        made: list[Earnest] = []

        def make(**options: Any) -> Any:
            made.append(Earnest(**{"base_url": server.url, **options}))
            return made[-1]

        yield make
        for one in made:
            one.close()
        return
    loop = asyncio.new_event_loop()
    opened: list[AsyncEarnest] = []

    def make_async(**options: Any) -> Any:
        opened.append(AsyncEarnest(**{"base_url": server.url, **options}))
        return Blocking(opened[-1], loop)

    yield make_async
    for client in opened:
        loop.run_until_complete(client.close())
    loop.close()
