"""The waits of a run that can be stopped."""

from __future__ import annotations

import time
from typing import Callable, TypeVar

from .._core.flow import Flow, Wait
from .._core.retry import is_temporary, wait_after
from ..errors import ApiError, ConnectionError

T = TypeVar("T")

_LONGEST_STEP = 0.1
"""The most seconds until a stop takes effect."""


def outlast(ask_once: Callable[[], Flow[T]], stopping: Callable[[], bool]) -> Flow[T]:
    """Repeats a request during temporary errors until a stop, because only the response is missing."""
    failures = 0
    while True:
        try:
            return (yield from ask_once())
        except (ApiError, ConnectionError) as error:
            if not is_temporary(error) or stopping():
                raise
            failures += 1
            wait = wait_after(error, failures, 1.0)
        yield from pause(wait, stopping)


def pause(seconds: float, stopping: Callable[[], bool]) -> Flow[None]:
    """Waits, but not longer than until a stop."""
    end = time.monotonic() + seconds
    while not stopping() and (rest := end - time.monotonic()) > 0:
        yield Wait(min(_LONGEST_STEP, rest))
