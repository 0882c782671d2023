"""The reports of requests that a program may follow by callbacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable
from urllib.parse import urlsplit

from ..errors import ApiError, ConnectionError


@dataclass(frozen=True)
class RequestReport:
    """The arguments of hooks. They never include a token or a body."""

    operation: str | None
    verb: str
    url: str
    attempt: int
    """1 for the first attempt."""
    idempotency_key: str | None

    @property
    def name(self) -> str:
        """The request in messages, without its query."""
        return f"{self.verb} {urlsplit(self.url).path}"


@dataclass(frozen=True)
class ResponseReport(RequestReport):
    status: int
    request_id: str | None
    duration: float
    """Seconds."""


@dataclass(frozen=True)
class RetryReport(RequestReport):
    """An attempt failed. The next one follows after `wait` seconds."""

    wait: float
    error: ApiError | ConnectionError


@dataclass(frozen=True)
class Hooks:
    on_request: Callable[[RequestReport], None] | None = None
    on_response: Callable[[ResponseReport], None] | None = None
    on_retry: Callable[[RetryReport], None] | None = None
