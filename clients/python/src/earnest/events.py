"""The account's events, in pages or as an endless feed."""

from __future__ import annotations

from typing import Any, AsyncIterator, Awaitable, Callable, Generic, Iterator, Literal, Sequence, TypeVar

from ._core.call import OMITTED, Omitted, RequestOptions
from ._core.flow import Flow, Run, Wait, ask
from ._core.resource import AsyncTransport, FlowTransport, Transport
from ._core.retry import is_temporary, wait_after
from ._core.transport import Core
from ._generated import types
from ._generated.events import AsyncEventsResource, EventsResource
from .errors import ApiError, ConnectionError
from .live import AsyncLiveStream, LiveStream

__all__ = ["AsyncEventStream", "AsyncEvents", "EventStream", "Events"]

OnCursor = TypeVar("OnCursor")


class _Follower(Generic[OnCursor]):
    """The state of both streams: the next page, and the cursor after it."""

    def __init__(
        self,
        core: Core,
        *,
        cursor: str | None,
        start: Literal["oldest", "now"],
        types: Sequence[types.EventType] | None,
        on_cursor: OnCursor | None,
        poll: float,
        until_caught_up: bool,
        options: RequestOptions | None,
    ) -> None:
        self.cursor = cursor
        self._events = EventsResource(FlowTransport(core))
        self._skipping = cursor is None and start == "now"
        self._types: Sequence[Any] | Omitted = types if types else OMITTED
        self._on_cursor = on_cursor
        self._poll = poll
        self._until_caught_up = until_caught_up
        self._options = options

    def next_page(self) -> Flow[types.FeedPage]:
        """Reads the next page of the feed. Waits out temporary errors."""
        failures = 0
        while True:
            try:
                page = yield from ask(
                    self._events.list(
                        cursor=self.cursor or OMITTED, type=self._types, limit=100, options=self._options
                    )
                )
            except (ApiError, ConnectionError) as error:
                if not is_temporary(error):
                    raise
                failures += 1
                yield Wait(wait_after(error, failures, self._poll))
            else:
                if self._skipping:
                    page["items"] = []
                return page

    def move(self, page: types.FeedPage) -> Flow[bool]:
        """Records that a page was handled, and waits if there are no new events. False if the stream ends there."""
        cursor = page["next_cursor"]
        if cursor != self.cursor:
            self.cursor = cursor
            on_cursor: Any = self._on_cursor
            if on_cursor is not None:
                yield Run(lambda: on_cursor(cursor))
        if not page["has_more"]:
            self._skipping = False
            if self._until_caught_up:
                return False
            yield Wait(self._poll)
        return True


class EventStream(_Follower[Callable[[str], None]]):
    """An endless feed. Iterate over it, and store `cursor` to resume after a crash.

    The stream continues through outages, and raises permanent errors. All events before `cursor` were handled. It
    advances by a page once the next event is requested. A resumed stream misses no event but may repeat some, so handle
    each event's `id` once.
    """

    def __init__(self, transport: Transport, **options: Any) -> None:
        super().__init__(transport.core, **options)
        self._transport = transport

    def __iter__(self) -> Iterator[types.FeedEvent]:
        goes_on = True
        while goes_on:
            page = self._transport.run(self.next_page())
            yield from page["items"]
            goes_on = self._transport.run(self.move(page))


class AsyncEventStream(_Follower[Callable[[str], "Awaitable[None] | None"]]):
    """An endless feed, as `EventStream`. Cancel the iterating task to end it."""

    def __init__(self, transport: AsyncTransport, **options: Any) -> None:
        super().__init__(transport.core, **options)
        self._transport = transport

    async def __aiter__(self) -> AsyncIterator[types.FeedEvent]:
        goes_on = True
        while goes_on:
            page = await self._transport.run(self.next_page())
            for event in page["items"]:
                yield event
            goes_on = await self._transport.run(self.move(page))


class Events(EventsResource):
    def follow(
        self,
        *,
        cursor: str | None = None,
        start: Literal["oldest", "now"] = "oldest",
        types: Sequence[types.EventType] | None = None,
        on_cursor: Callable[[str], None] | None = None,
        poll: float = 2.0,
        until_caught_up: bool = False,
        options: RequestOptions | None = None,
    ) -> EventStream:
        """Follows the feed.

        Args:
            cursor: The `cursor` of an earlier stream, to resume it.
            start: Without a cursor: from the oldest event that the service has (30 days), or from now on.
            types: Only these types.
            on_cursor: A callback that gets the cursor once all events before it were handled. Store it there.
            poll: The seconds between two polls without events.
            until_caught_up: Ends the stream when there are no new events.
        """
        return EventStream(
            self._transport,
            cursor=cursor,
            start=start,
            types=types,
            on_cursor=on_cursor,
            poll=poll,
            until_caught_up=until_caught_up,
            options=options,
        )

    def stream(
        self,
        *,
        cursor: str | None = None,
        start: Literal["oldest", "now"] = "oldest",
        types: Sequence[types.EventType] | None = None,
        on_cursor: Callable[[str], None] | None = None,
        poll: float = 2.0,
        options: RequestOptions | None = None,
    ) -> LiveStream:
        """Streams the feed live: an event arrives well within a second. The stream polls while no live stream is available.

        Args:
            cursor: The `cursor` of an earlier stream, to resume it.
            start: Without a cursor: from the oldest event that the service has (30 days), or from now on.
            types: Only these types.
            on_cursor: A callback that gets the cursor once all events before it were handled. Store it there.
            poll: The seconds between failing streams, which grow with each failure.
            options: `timeout` applies to the polls only.
        """
        return LiveStream(
            self._transport,
            cursor=cursor,
            start=start,
            types=types,
            on_cursor=on_cursor,
            poll=poll,
            options=options,
        )


class AsyncEvents(AsyncEventsResource):
    def follow(
        self,
        *,
        cursor: str | None = None,
        start: Literal["oldest", "now"] = "oldest",
        types: Sequence[types.EventType] | None = None,
        on_cursor: Callable[[str], Awaitable[None] | None] | None = None,
        poll: float = 2.0,
        until_caught_up: bool = False,
        options: RequestOptions | None = None,
    ) -> AsyncEventStream:
        """Follows the feed, as `Events.follow` does. `on_cursor` may be a coroutine function."""
        return AsyncEventStream(
            self._transport,
            cursor=cursor,
            start=start,
            types=types,
            on_cursor=on_cursor,
            poll=poll,
            until_caught_up=until_caught_up,
            options=options,
        )

    def stream(
        self,
        *,
        cursor: str | None = None,
        start: Literal["oldest", "now"] = "oldest",
        types: Sequence[types.EventType] | None = None,
        on_cursor: Callable[[str], Awaitable[None] | None] | None = None,
        poll: float = 2.0,
        options: RequestOptions | None = None,
    ) -> AsyncLiveStream:
        """Streams the feed live, as `Events.stream` does. `on_cursor` may be a coroutine function."""
        return AsyncLiveStream(
            self._transport,
            cursor=cursor,
            start=start,
            types=types,
            on_cursor=on_cursor,
            poll=poll,
            options=options,
        )
