"""Runs the purchases of one process in sequence, so that none uses up another's allowance."""

from __future__ import annotations

import threading
from typing import Callable, Hashable, TypeVar

from .._core.flow import Flow, Wait

T = TypeVar("T")

_RETRY_SECONDS = 0.05
"""Seconds between two attempts to take the lock."""
_locks: dict[Hashable, threading.Lock] = {}


def in_turn(of: Hashable, work: Callable[[], Flow[T]]) -> Flow[T]:
    """Runs the work of one key in sequence, in threads and in tasks."""
    lock = _locks.setdefault(of, threading.Lock())
    while not lock.acquire(blocking=False):
        yield Wait(_RETRY_SECONDS)
    try:
        return (yield from work())
    finally:
        lock.release()
