from __future__ import annotations

import threading
from typing import Callable, Collection


class Queue:
    """Works on what is added, each id once at a time, and so many at once. It is safe to share between threads."""

    def __init__(self, concurrency: int, begin: Callable[[str], object]) -> None:
        """`begin` has the work of an id begun, and returns at once; whoever does the work calls `end`."""
        if type(concurrency) is not int or concurrency < 1:
            raise TypeError("concurrency has to be a whole number of at least 1.")
        self._concurrency = concurrency
        self._begin = begin
        self._lock = threading.Lock()
        self._waiting: dict[str, None] = {}
        self._running: set[str] = set()
        self._again: set[str] = set()
        """What is to be done once more as soon as it is done."""
        self._over: set[str] = set()
        """What is over for this run, unless it is asked for anew."""
        self._closed = False

    def add(self, id: str, anew: bool = False) -> None:
        """`anew`: even if it is over, or being done at this moment."""
        with self._lock:
            self._add(id, anew)

    def end(self, id: str, over: bool) -> None:
        """The work of an id is done. `over`: for this run."""
        with self._lock:
            self._running.discard(id)
            if over:
                self._over.add(id)
            if id in self._again:
                self._again.discard(id)
                self._add(id, True)
            self._next()

    def forget(self, open: Collection[str]) -> None:
        """Leaves out what is over and not among what is open: nobody asks for it any more."""
        with self._lock:
            self._over.intersection_update(open)

    def close(self) -> None:
        """Begins nothing more."""
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
