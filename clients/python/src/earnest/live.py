"""The account's events live, by server-sent events."""

from __future__ import annotations

import json
import random
import threading
from typing import (
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    Generic,
    Iterator,
    Literal,
    Sequence,
    TypeVar,
    cast,
)

import anyio
from typing_extensions import TypeAlias

from ._core.call import OMITTED, Call, Omitted, RequestOptions
from ._core.flow import Flow, NoAnswer, OpenAnswer, Run, ask
from ._core.messages import Message, MessageReader, MessageTooLargeError
from ._core.resource import AsyncTransport, FlowTransport, Transport
from ._core.retry import is_temporary, wait_after
from ._core.transport import Core
from ._generated import types
from ._generated.events import EventsResource
from .errors import ApiError, ConnectionError, TimeoutError

__all__ = ["AsyncLiveStream", "LiveStream"]

OnCursor = TypeVar("OnCursor")
_Step: TypeAlias = "tuple[types.FeedEvent | None, str | None]"
"""An event, if there is one, and the cursor after it, if it is known."""

_SILENCE = 45.0
"""The longest silence of a stream, in seconds. The service sends a byte at least every 15 seconds."""
_USUAL_RETRY = 2.0
"""Seconds before an ended stream is opened again. The service can set another value."""
_RETRIES = (0.1, 600.0)
"""The bounds of the service's value."""


class _Live(Generic[OnCursor]):
    """The state of both streams: the next events, and the cursor after them."""

    def __init__(
        self,
        core: Core,
        *,
        cursor: str | None,
        start: Literal["oldest", "now"],
        types: Sequence[types.EventType] | None,
        on_cursor: OnCursor | None,
        poll: float,
        options: RequestOptions | None,
    ) -> None:
        self.cursor = cursor or ("now" if start == "now" else None)
        self._core = core
        self._events = EventsResource(FlowTransport(core))
        self._types: Sequence[Any] | Omitted = types if types else OMITTED
        self._on_cursor = on_cursor
        self._poll = poll
        self._options = options
        self._closed = threading.Event()
        self._answer: OpenAnswer | None = None
        self._reader = MessageReader()
        self._told = False
        """Whether the open stream has sent an event or a cursor."""
        self._paging = False
        self._failures = 0
        self._retry = _USUAL_RETRY
        self._wait = 0.0
        """Seconds before the next stream is opened."""

    def _pause(self, seconds: float) -> Any:
        """Waits until the time is over or the stream is closed."""
        raise NotImplementedError

    def next_steps(self) -> Flow[list[_Step]]:
        """Returns the next events of the stream, or a page while there is no stream. An empty result is not the end."""
        try:
            if self._paging:
                return (yield from self._read_page())
            if self._answer is None:
                if self._wait > 0:
                    yield Run(lambda: self._pause(self._wait))
                    self._wait = 0.0
                if self._closed.is_set():
                    return []
                yield from self._open()
            return (yield from self._read())
        except (ApiError, ConnectionError) as error:
            yield from self.let_go()
            if self._closed.is_set():
                return []
            if not is_temporary(error):
                raise
            if self._paging:
                self._paging = False
                return []
            self._failures += 1
            first = self._failures == 1
            self._wait = (
                random.random() * self._retry if first else wait_after(error, self._failures, self._poll)
            )
            # A single disconnection is no outage: the next stream has the missed events.
            self._paging = not first
            return []

    def move(self, cursor: str | None) -> Flow[None]:
        """Records that everything before the cursor was handled."""
        if cursor and cursor != self.cursor:
            self.cursor = cursor
            on_cursor: Any = self._on_cursor
            if on_cursor is not None:
                yield Run(lambda: on_cursor(cursor))

    def let_go(self) -> Flow[None]:
        answer, self._answer = self._answer, None
        if answer is not None:
            yield Run(answer.close)

    def _open(self) -> Flow[None]:
        call: Call[Any] = Call(
            operation="streamEvents",
            verb="GET",
            path="/streams/events",
            root=True,
            accept="text/event-stream",
            query={"cursor": self.cursor or OMITTED, "type": self._types},
            # Compression may grow without bound, and would delay events in the compressor's buffer.
            headers={"accept-encoding": "identity"},
        )
        answer = yield from self._core.open(call, self._options, silence=_SILENCE)
        self._answer, self._reader, self._told = answer, MessageReader(), False
        kind = answer.headers.get("content-type", "").split(";")[0].strip().lower()
        if kind != "text/event-stream" or answer.headers.get("content-encoding", "identity") != "identity":
            raise _cut("the response is not an event stream")

    def _read(self) -> Flow[list[_Step]]:
        answer = self._answer
        if answer is None or self._closed.is_set():
            return []
        try:
            chunk: bytes = yield Run(answer.read)
            messages = list(self._reader.read(chunk))
        except NoAnswer as error:
            kind = TimeoutError if error.timed_out else ConnectionError
            raise _cut(error.reason, kind) from (error.__cause__ or error)
        except MessageTooLargeError as error:
            raise self._broken("a message is too large") from error
        if not chunk:
            if not self._told:
                raise _cut("it ended before the first message")
            self._wait = self._retry
            yield from self.let_go()
        return [self._step(message) for message in messages]

    def _step(self, message: Message) -> _Step:
        self._told, self._failures = True, 0
        if message.retry is not None:
            self._retry = min(max(_RETRIES[0], message.retry / 1000), _RETRIES[1])
        return (None if message.data is None else self._event_of(message.data)), message.id

    def _event_of(self, data: str) -> types.FeedEvent:
        try:
            event = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self._broken("a message is not JSON") from error
        if not isinstance(event, dict):
            raise self._broken("a message is not an event")
        return cast("types.FeedEvent", event)

    def _broken(self, reason: str) -> ConnectionError:
        """Switches to pages, because the next stream would send the same message."""
        self._failures = max(self._failures, 1)
        return _cut(reason)

    def _read_page(self) -> Flow[list[_Step]]:
        page = yield from ask(
            self._events.list(
                cursor=self.cursor or OMITTED, type=self._types, limit=100, options=self._options
            )
        )
        self._paging = page["has_more"]
        return [*((event, None) for event in page["items"]), (None, page["next_cursor"])]


class LiveStream(_Live[Callable[[str], None]]):
    """An endless live feed. Iterate over it, and store `cursor` to resume after a crash.

    The stream resumes after every disconnection, polls while no stream is available, and raises permanent errors. All events
    before `cursor` were handled. It advances once the next event is requested. A resumed stream misses no event but may
    repeat one, so handle each event's `id` once.
    """

    def __init__(self, transport: Transport, **options: Any) -> None:
        super().__init__(transport.core, **options)
        self._transport = transport

    def __iter__(self) -> Iterator[types.FeedEvent]:
        try:
            while not self._closed.is_set():
                for event, cursor in self._transport.run(self.next_steps()):
                    if self._closed.is_set():
                        return
                    if event is not None:
                        yield event
                    self._transport.run(self.move(cursor))
        finally:
            self._transport.run(self.let_go())

    def close(self) -> None:
        """Ends the stream permanently, even from another thread or a signal handler while it waits for an event."""
        self._closed.set()
        answer = self._answer
        if answer is not None:
            answer.wake()

    def _pause(self, seconds: float) -> None:
        self._closed.wait(seconds)


class AsyncLiveStream(_Live[Callable[[str], "Awaitable[None] | None"]]):
    """The live feed, as `LiveStream`. Cancel the iterating task or close the stream to end it."""

    def __init__(self, transport: AsyncTransport, **options: Any) -> None:
        super().__init__(transport.core, **options)
        self._transport = transport
        self._wake = anyio.Event()

    async def __aiter__(self) -> AsyncIterator[types.FeedEvent]:
        try:
            while not self._closed.is_set():
                for event, cursor in await self._transport.run(self.next_steps()):
                    if self._closed.is_set():
                        return
                    if event is not None:
                        yield event
                    await self._transport.run(self.move(cursor))
        finally:
            await self._transport.run(self.let_go())

    async def close(self) -> None:
        """Ends the stream permanently, even from another task while it waits for an event."""
        self._closed.set()
        self._wake.set()
        await self._transport.run(self.let_go())

    async def _pause(self, seconds: float) -> None:
        self._wake = anyio.Event()
        with anyio.move_on_after(seconds):
            await self._wake.wait()


def _cut(reason: str, kind: type[ConnectionError] = ConnectionError) -> ConnectionError:
    return kind(f"GET /streams/events: the stream was cut: {reason}.")
