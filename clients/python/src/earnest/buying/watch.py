"""Waits for an order: reads it at each of its events and at intervals."""

from __future__ import annotations

import time
from typing import Any, Callable, TypeVar

from .._core.call import OMITTED
from .._core.flow import Flow, Wait, ask
from .._core.resource import FlowTransport
from .._core.retry import is_temporary
from .._core.transport import Core
from .._generated.api import Api
from ..errors import ApiError, ConnectionError

T = TypeVar("T")

_QUIET = 15.0
"""Seconds between two reads of an order without an event."""
_BLIND = 2.0
"""Seconds between two reads while the feed cannot be read."""
_POLL = 0.5


class Watch:
    """Watches one order through the account's feed."""

    def __init__(self, core: Core, order_id: str, *, is_blind: bool = False) -> None:
        """
        Args:
            is_blind: whether the caller cannot read the feed
        """
        self._core = core
        self._api = Api(FlowTransport(core))
        self._order_id = order_id
        self._cursor: str | None = None
        self._blind = is_blind

    def until(self, read: Callable[[], Flow[T | None]]) -> Flow[T]:
        """Reads until a value is returned: at once, at each event of the order, and at intervals.

        An outage of the service does not end the wait.
        """
        # The end of the feed is read before the order, so that an event between the two is not missed.
        if self._cursor is None:
            yield from self._find_end()
        while True:
            try:
                found = yield from read()
                if found is not None:
                    return found
            except (ApiError, ConnectionError) as error:
                if not is_temporary(error):
                    raise
            end = time.monotonic() + (_BLIND if self._blind else _QUIET)
            while time.monotonic() < end:
                yield Wait(_BLIND if self._blind else _POLL)
                if not self._blind and (yield from self._has_news()):
                    break

    def _find_end(self) -> Flow[None]:
        # Another purchase of this client may have a recent cursor.
        self._cursor = self._core.feed_end
        more = True
        while more and not self._blind:
            page = yield from self._read_page()
            more = page is not None and page["has_more"]

    def _has_news(self) -> Flow[bool]:
        """Whether the feed has a new event of the order."""
        found = False
        while True:
            page = yield from self._read_page()
            if page is None:
                return found
            data: list[Any] = [event["data"] for event in page["items"]]
            found = found or any(one.get("order", {}).get("id") == self._order_id for one in data)
            if not page["has_more"]:
                return found

    def _read_page(self) -> Flow[Any]:
        """Reads the next page; None if there is none. Without the scope of the feed, the order is read more often."""
        try:
            page = yield from ask(self._api.events.list(cursor=self._cursor or OMITTED, limit=100))
        except (ApiError, ConnectionError) as error:
            self._blind = self._blind or not is_temporary(error)
            return None
        self._cursor = self._core.feed_end = page["next_cursor"]
        return page
