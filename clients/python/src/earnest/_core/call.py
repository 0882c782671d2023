from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Mapping, TypeVar
from urllib.parse import quote

import httpx2
from typing_extensions import TypeAlias

from .exact import Exact

T = TypeVar("T")


class Omitted(enum.Enum):
    """The value of an omitted argument, which differs from None."""

    OMITTED = "omitted"

    def __repr__(self) -> str:
        return "OMITTED"


OMITTED = Omitted.OMITTED

Verb: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


@dataclass(frozen=True)
class RequestOptions:
    """The options of one call. The client's own options apply where a value is omitted."""

    idempotency_key: str | None = None
    """The idempotency key of a write: the same for retries and for calls of the same intent. Default: a random key."""
    max_retries: int | None = None
    """The most retries of a call. Default: 2."""
    max_wait: float | None = None
    """The longest wait before a retry, in seconds. Default: 30. A longer `Retry-After` fails the call at once."""
    timeout: float | None = None
    """The timeout of one attempt, in seconds. Default: 60."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Further headers, which override the client's."""
    organisation: str | Omitted | None = OMITTED
    """The organisation that a session acts for, such as `acc_...`; None for the session's own account."""


@dataclass(frozen=True)
class Call(Generic[T]):
    """A call of one operation, which the generated methods build. `T` is the type of its result."""

    operation: str | None
    """The operation's id in docs/openapi.json, for hooks and errors; None for a custom request."""
    verb: Verb
    path: str
    """The escaped path below `/api/v1`."""
    root: bool = False
    """Whether the path is below the service's root instead of `/api/v1`, as for responses that are not JSON."""
    accept: str = "application/json"
    """The media type of the response."""
    file: bool = False
    """Whether the response is a file, of which the call returns the bytes."""
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = OMITTED
    headers: Mapping[str, str | Omitted] = field(default_factory=dict)
    open: bool = False
    """Sends no token."""
    takes_key: bool = False
    """Whether the operation takes an `Idempotency-Key`."""
    may_repeat: bool = True
    """False if a retry would not be the same request. A 429 is retried in any case."""
    exact: Exact = field(default_factory=dict)
    """The fields of the query and the body that a float would round."""


@dataclass(frozen=True)
class RawResponse:
    """A raw response."""

    status: int
    headers: httpx2.Headers
    text: str
    """The whole body; empty for a file."""
    data: Any
    """The parsed JSON, the bytes of a file, or the text of another body; None if the body is empty."""
    attempts: int
    """The number of attempts, including this one."""
    request_id: str | None
    """The header `X-Request-ID`. Include it in reports."""
    idempotency_key: str | None
    """The idempotency key of the write."""


def path_of(shape: str, *parameters: str) -> str:
    """Builds a path with escaped parameters, such as `path_of("/orders/{}", order_id)`.

    Raises:
        TypeError: for an empty parameter, `.` or `..`, which would change the path
    """
    for parameter in parameters:
        if not isinstance(parameter, str) or parameter in ("", ".", ".."):
            raise TypeError(f"{parameter!r} cannot be a part of a path. Pass an id or a slug.")
    return shape.format(*(quote(parameter, safe="") for parameter in parameters))


def call_by_hand(
    verb: Verb,
    path: str,
    query: Mapping[str, Any] | None,
    body: Any,
    takes_key: bool | None,
    may_repeat: bool,
) -> Call[Any]:
    """A request that no generated method sends."""
    key = verb != "GET" if takes_key is None else takes_key
    return Call(None, verb, path, query=query or {}, body=body, takes_key=key, may_repeat=may_repeat)
