"""A flow is a procedure of the client as a generator. It yields each input or output, and receives the result.

A blocking driver and an awaiting driver run the same flow, so each rule is written once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Generator, Mapping, TypeVar, Union, cast

import httpx2
from typing_extensions import TypeAlias

T = TypeVar("T")


@dataclass(frozen=True)
class Send:
    """Sends a request. The result is an HttpAnswer; NoAnswer is raised if there is none."""

    verb: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None = None
    timeout: float = 60.0
    """The timeout of the whole attempt, in seconds."""
    max_bytes: int | None = None


@dataclass(frozen=True)
class Open:
    """Sends a request. The result is an OpenAnswer as soon as the response begins; NoAnswer is raised if there is none.

    `timeout` is the longest silence.
    """

    request: Send


@dataclass(frozen=True)
class Wait:
    seconds: float


@dataclass(frozen=True)
class Run:
    """Calls a function of the caller. In an async client, it may return an awaitable."""

    function: Callable[[], Any]


@dataclass(frozen=True)
class Work:
    """Calls a function that reads files or computes. An async client calls it in a thread."""

    function: Callable[[], Any]


Effect: TypeAlias = Union[Send, Open, Wait, Run, Work]
Flow: TypeAlias = Generator[Effect, Any, T]


@dataclass(frozen=True)
class HttpAnswer:
    status: int
    headers: httpx2.Headers
    body: bytes


@dataclass(frozen=True)
class OpenAnswer:
    """A response whose body is read as it arrives. Its functions are for `Run`."""

    status: int
    headers: httpx2.Headers
    read: Callable[[], bytes | Awaitable[bytes]]
    """Returns the next bytes of the body; empty at its end. Raises NoAnswer if the body breaks off or is silent too long."""
    close: Callable[[], Awaitable[None] | None]
    """Closes the connection. Repeated calls do nothing."""
    wake: Callable[[], None]
    """Ends a `read` of another thread."""


@dataclass
class NoAnswer(Exception):
    """There is no complete response. `reason` is for people."""

    reason: str
    timed_out: bool = False
    too_large: bool = False


def ask(answer: T) -> Flow[T]:
    """Returns a method's result within a flow, for a client over a FlowTransport.

    Such a method returns a flow, although its type declares the result.
    """
    return (yield from cast("Flow[T]", answer))
