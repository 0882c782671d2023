"""A flow is what a client does, as a generator: it yields what has to be done outside, and is handed what came of it.

The same flow is run by a driver that blocks and by one that awaits, so that each rule is written once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Generator, Mapping, TypeVar, Union, cast

import httpx2
from typing_extensions import TypeAlias

T = TypeVar("T")


@dataclass(frozen=True)
class Send:
    """Sends a request; comes to an HttpAnswer, or raises NoAnswer."""

    verb: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None = None
    timeout: float = 60.0
    """For the whole try, in seconds."""
    max_bytes: int | None = None


@dataclass(frozen=True)
class Open:
    """Sends a request; comes to an OpenAnswer as soon as the answer begins, or raises NoAnswer.

    `timeout` is the longest silence.
    """

    request: Send


@dataclass(frozen=True)
class Wait:
    seconds: float


@dataclass(frozen=True)
class Run:
    """Calls a function of the caller's. In an async client it may give an awaitable."""

    function: Callable[[], Any]


Effect: TypeAlias = Union[Send, Open, Wait, Run]
Flow: TypeAlias = Generator[Effect, Any, T]


@dataclass(frozen=True)
class HttpAnswer:
    status: int
    headers: httpx2.Headers
    body: bytes


@dataclass(frozen=True)
class OpenAnswer:
    """An answer whose body is read as it comes. Its functions are for `Run`."""

    status: int
    headers: httpx2.Headers
    read: Callable[[], bytes | Awaitable[bytes]]
    """The next bytes of the body, as they came; empty at its end. Raises NoAnswer where it is cut, or silent too long."""
    close: Callable[[], Awaitable[None] | None]
    """Closes the connection; once more does nothing."""
    wake: Callable[[], None]
    """Has a `read` end that another thread waits in."""


@dataclass
class NoAnswer(Exception):
    """No whole answer came. `reason` is for people."""

    reason: str
    timed_out: bool = False
    too_large: bool = False


def ask(answer: T) -> Flow[T]:
    """Within a flow, what a method of a client over a FlowTransport comes to.

    Such a method gives a flow in place of its answer, while its type speaks of the answer.
    """
    return (yield from cast("Flow[T]", answer))
