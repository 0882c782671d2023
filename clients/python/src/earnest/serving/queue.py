from __future__ import annotations

import threading
from typing import Callable, Collection


class Queue:
    """Runs work by id: each id once at a time, and a limited number at once. It is safe to share between threads."""

    def __init__(self, concurrency: int, begin: Callable[[str], object]) -> None:
        """`begin` starts the work of an id and returns at once. The worker calls `end`."""
        if type(concurrency) is not int or concurrency < 1:
            raise TypeError("concurrency has to be a whole number of at least 1.")
        self._concurrency = concurrency
        self._begin = begin
        self._lock = threading.Lock()
        self._waiting: dict[str, None] = {}
        self._running: set[str] = set()
        self._again: set[str] = set()
        """The ids whose work is repeated as soon as it ends."""
        self._over: set[str] = set()
        """The ids that are finished in this run, unless they are added anew."""
        self._closed = False

    def add(self, id: str, anew: bool = False) -> None:
        """Adds an id. `anew`: even if its work is finished or running."""
        with self._lock:
            self._add(id, anew)

    def end(self, id: str, over: bool) -> None:
        """Ends the work of an id. `over`: for the whole run."""
        with self._lock:
            self._running.discard(id)
            if over:
                self._over.add(id)
            if id in self._again:
                self._again.discard(id)
                self._add(id, True)
            self._next()

    def forget(self, open: Collection[str]) -> None:
        """Forgets finished ids that are not open any more."""
        with self._lock:
            self._over.intersection_update(open)

    def close(self) -> None:
        """Starts no more work."""
        with self._lock:
            self._closed = True

    def _add(self, id: str, anew: bool) -> None:
        if id in self._running:
            if anew:
                self._again.add(id)
            return
        if id in self._over and not anew:
            return
        self._over.discard(id)
        self._waiting[id] = None
        self._next()

    def _next(self) -> None:
        while self._waiting and not self._closed and len(self._running) < self._concurrency:
            id = next(iter(self._waiting))
            del self._waiting[id]
            self._running.add(id)
            self._begin(id)
