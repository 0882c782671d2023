"""Turns of the purchases of one process: what one of them allows, no other may spend."""

from __future__ import annotations

import threading
from typing import Callable, Hashable, TypeVar

from .._core.flow import Flow, Wait

T = TypeVar("T")

_LOOK = 0.05
"""Seconds between two tries to take the lock."""
_locks: dict[Hashable, threading.Lock] = {}


def in_turn(of: Hashable, work: Callable[[], Flow[T]]) -> Flow[T]:
    """Runs pieces of work under one key one after another, in threads and tasks alike."""
    lock = _locks.setdefault(of, threading.Lock())
    while not lock.acquire(blocking=False):
        yield Wait(_LOOK)
    try:
        return (yield from work())
    finally:
        lock.release()
