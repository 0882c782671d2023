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
    """The one value of an argument that is left out, which is not the same as None."""

    OMITTED = "omitted"

    def __repr__(self) -> str:
        return "OMITTED"


OMITTED = Omitted.OMITTED

Verb: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


@dataclass(frozen=True)
class RequestOptions:
    """The options of one call. The client's own options apply where a value is omitted."""

    idempotency_key: str | None = None
    """Of a write: the same key over the retries of this call, and over calls that mean the same. One is made unless given."""
    max_retries: int | None = None
    """The most retries of a call. Default: 2."""
    max_wait: float | None = None
    """The longest wait before a retry, in seconds. Default: 30. A longer `Retry-After` fails the call at once."""
    timeout: float | None = None
    """The timeout of one try, in seconds. Default: 60."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """More headers, or other values of the client's own."""
    organisation: str | Omitted | None = OMITTED
    """The organisation that a session acts for, as in `acc_...`; None: the session's own account."""


@dataclass(frozen=True)
class Call(Generic[T]):
    """One operation with what it is asked; the generated methods make it. `T` is what its answer holds."""

    operation: str | None
    """As in docs/openapi.json, for hooks and errors; None for a request that is written by hand."""
    verb: Verb
    path: str
    """Below `/api/v1`, escaped."""
    root: bool = False
    """The path is below the service's own address, beside `/api/v1`: what is no JSON lies there."""
    accept: str = "application/json"
    """The media type of the answer."""
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = OMITTED
    headers: Mapping[str, str | Omitted] = field(default_factory=dict)
    open: bool = False
    """No token is sent."""
    takes_key: bool = False
    """Whether the service keeps the answer under an `Idempotency-Key`."""
    retries: bool = True
    """False where a second try would not be the same request; a 429 is tried again all the same."""
    exact: Exact = field(default_factory=dict)
    """The fields of query and body that a float would spoil."""


@dataclass(frozen=True)
class RawResponse:
    """A raw response."""

    status: int
    headers: httpx2.Headers
    text: str
    """The body, whole."""
    data: Any
    """What the body holds: its JSON, or the text of what is none; None where it is empty."""
    attempts: int
    """How often the request was sent, with this answer's try."""
    request_id: str | None
    """As in the header `X-Request-ID`; quote it in reports."""
    idempotency_key: str | None
    """The key that the write was sent with."""


def path_of(shape: str, *parameters: str) -> str:
    """A path with its parameters escaped, as in `path_of("/orders/{}", order_id)`.

    Raises:
        TypeError: for an empty parameter, `.` or `..`: each would name another path than was meant
    """
    for parameter in parameters:
        if not isinstance(parameter, str) or parameter in ("", ".", ".."):
            raise TypeError(f"{parameter!r} cannot be a part of a path. Pass an id or a slug.")
    return shape.format(*(quote(parameter, safe="") for parameter in parameters))


def call_by_hand(
    verb: Verb, path: str, query: Mapping[str, Any] | None, body: Any, takes_key: bool | None, retries: bool
) -> Call[Any]:
    """A request that no generated method makes."""
    key = verb != "GET" if takes_key is None else takes_key
    return Call(None, verb, path, query=query or {}, body=body, takes_key=key, retries=retries)
