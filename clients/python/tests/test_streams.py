"""The feed as it happens, from a server whose streams are cut, silent, refused and in odd pieces."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from typing import Any, Callable, Iterator

import pytest
from conftest import LONGEST
from flaky import Answer, FlakyServer, Seen, refusal

import earnest
from earnest import AsyncEarnest, Earnest, LiveStream, RequestOptions, live
from earnest._core import messages
from earnest._core.messages import Message, MessageReader, MessageTooLargeError

Make = Callable[..., Any]
pytestmark = pytest.mark.usefixtures("no_jitter")


def told(*numbers: int) -> bytes:
    """Messages of these events, as the service writes them; the id is where to go on."""
    return b"".join(b'id: %d\ndata: {"id":"evt_%d"}\n\n' % (n + 1, n) for n in numbers)


def stream_of(*chunks: bytes, fault: str | None = None) -> Answer:
    return Answer(chunks=[b"retry: 0\n\n", *chunks], fault=fault)


class Service:
    """A feed of events 0 to 9; gives its streams in turn, then refuses them. Its pages have what is in the feed."""

    def __init__(self, server: FlakyServer, *streams: Answer, size: int = 10) -> None:
        self.streams = list(streams)
        self.size = size
        self.opened: list[Seen] = []
        self.pages = 0
        server.otherwise = self.answer

    def answer(self, seen: Seen) -> Answer:
        if seen.path == "/streams/events":
            self.opened.append(seen)
            return self.streams.pop(0) if self.streams else refusal(503, "streams_full", retry_after="0")
        self.pages += 1
        at = int(seen.query.get("cursor", ["0"])[0])
        end = min(at + 3, self.size)
        items = [{"id": f"evt_{n}"} for n in range(at, end)]
        return Answer({"items": items, "next_cursor": str(end), "has_more": end < self.size})

    def asked(self) -> list[str | None]:
        return [seen.query.get("cursor", [None])[0] for seen in self.opened]


def take(stream: Any, most: int) -> list[int]:
    found = []
    for event in stream:
        found.append(int(event["id"].removeprefix("evt_")))
        if len(found) == most:
            return found
    return found


def read_all(text: bytes, size: int) -> list[Message]:
    reader = MessageReader()
    return [one for at in range(0, len(text), size) for one in reader.read(text[at : at + size])]


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_messages_are_read_as_the_standard_says_whatever_the_chunks(size: int) -> None:
    text = "\ufeffretry: 1730\r\nid: a\r\n\r\n: alive\ndata:one\rdata: größer 🜁\r\rid:b\nid: c\0\ndata\nevent: x\n\nretry: 1e3\nid\n\ndata: cut"
    assert read_all(text.encode(), size) == [
        Message(id="a", retry=1730),
        Message(data="one\ngrößer 🜁"),
        Message(id="b", data=""),
        Message(id=""),
    ]


@pytest.mark.parametrize("line", [b"data: " + b"x" * 99, b"data: x\n", b": " + b"x" * 99])
def test_a_message_without_end_fills_no_memory(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "MOST_BYTES", 1000)
    reader = MessageReader()
    with pytest.raises(MessageTooLargeError):
        list(itertools.chain.from_iterable(reader.read(line) for _ in range(1000)))


def test_a_stream_goes_on_after_cuts_without_loss_or_double(client: Make, server: FlakyServer) -> None:
    kept: list[str] = []
    service = Service(
        server,
        stream_of(told(0)[:20], told(0)[20:], told(1)[:-1], fault="cut"),
        stream_of(told(1), b"id: 7\n\n"),
        stream_of(told(7, 8)),
    )
    stream = client(organisation="acc_1", headers={"x-more": "1"}).events.stream(
        types=["order.created", "order.funded"], on_cursor=kept.append
    )
    assert take(stream, 4) == [0, 1, 7, 8]
    assert kept == ["1", "2", "7", "8"]
    assert stream.cursor == "8"
    assert service.asked() == [None, "1", "7"]
    assert service.pages == 0
    assert service.opened[0].query == {"type": ["order.created", "order.funded"]}


def test_a_stream_is_asked_for_as_other_calls_are(client: Make, server: FlakyServer) -> None:
    service = Service(server, stream_of(told(0)))
    tokens = iter(["esk_1", "esk_2"])
    one = client(api_key=lambda: next(tokens), organisation="acc_1", headers={"x-more": "1"})
    one.events.list()
    take(one.events.stream(options=RequestOptions(headers={"x-own": "2"})), 1)
    plain, sent = server.seen[0].headers, service.opened[0].headers
    assert (plain["authorization"], sent["authorization"]) == ("Bearer esk_1", "Bearer esk_2")
    assert (sent["x-organisation"], sent["x-more"], sent["x-own"]) == ("acc_1", "1", "2")
    assert (sent["user-agent"], sent["host"]) == (plain["user-agent"], plain["host"])
    assert (sent["accept"], sent["accept-encoding"]) == ("text/event-stream", "identity")


def test_pages_are_read_while_there_is_no_stream(client: Make, server: FlakyServer) -> None:
    service = Service(server, stream_of(told(0)), refusal(503, "streams_full"), refusal(503, "streams_full"))
    service.streams += [stream_of(told(10))]
    assert take(client(max_retries=0).events.stream(poll=0.01), 11) == list(range(11))
    assert service.asked() == [None, "1", "1", "10"]
    assert service.pages == 3


@pytest.mark.parametrize(
    "answer",
    [
        Answer("<p>Sign in to this network.</p>"),
        Answer(chunks=[told(0)], headers={"content-encoding": "gzip"}),
        Answer(chunks=[b": nothing\n"]),
        stream_of(b"data: {\n\n"),
        stream_of(b"data: [1]\n\n"),
        stream_of(b"data: " + b"x" * 2000),
    ],
    ids=["no stream", "compressed", "empty", "no JSON", "no event", "too large"],
)
def test_a_broken_stream_ends_in_pages(
    client: Make, server: FlakyServer, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "MOST_BYTES", 1000)
    service = Service(server, answer, answer)
    assert take(client().events.stream(poll=0.01), 10) == list(range(10))
    assert len(service.opened) <= 2


def test_a_silent_stream_is_cut(client: Make, server: FlakyServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_SILENCE", 0.2)
    silent = threading.Event()

    def chunks() -> Iterator[bytes]:
        yield told(0)
        silent.wait(10)

    Service(server, Answer(chunks=chunks()), stream_of(told(1)))
    begin = time.monotonic()
    assert take(client().events.stream(), 2) == [0, 1]
    assert 0.2 <= time.monotonic() - begin < 5
    silent.set()


def test_the_service_says_when_to_come_again(
    client: Make, server: FlakyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The client's own wait exceeds the test's time, so the service's wait must count.
    monkeypatch.setattr(live, "_USUAL_RETRY", 2 * LONGEST)
    Service(server, Answer(chunks=[b"retry: 400\n\n" + told(0)]), stream_of(told(1)))
    begin = time.monotonic()
    assert take(client().events.stream(), 2) == [0, 1]
    assert time.monotonic() - begin >= 0.4


def test_a_stream_begins_now_or_where_it_was(client: Make, server: FlakyServer) -> None:
    service = Service(server, stream_of(b"id: 5\n\n", told(5)), stream_of(told(9)))
    stream = client().events.stream(start="now")
    assert take(stream, 1) == [5]
    # The loop ended before the event counted as handled.
    assert stream.cursor == "5"
    assert take(client().events.stream(cursor="9"), 1) == [9]
    assert service.asked() == ["now", "9"]


def test_what_waiting_does_not_mend_is_raised(client: Make, server: FlakyServer) -> None:
    Service(server, stream_of(told(0)), refusal(403, "insufficient_scope"))
    stream = client().events.stream()
    with pytest.raises(earnest.PermissionDeniedError) as caught:
        take(stream, 2)
    assert caught.value.code == "insufficient_scope"
    elsewhere = Service(server, Answer(status=302, headers={"location": f"{server.url}/elsewhere"}))
    with pytest.raises(earnest.ApiError):
        take(client(api_key="esk_1").events.stream(), 1)
    assert [seen.path for seen in server.seen[-1:]] == [elsewhere.opened[0].path]


def waiting(server: FlakyServer) -> threading.Event:
    """Serves one event and then nothing. The server learns when the client closes the stream."""
    left = threading.Event()

    def chunks() -> Iterator[bytes]:
        yield told(0)
        try:
            for _ in range(1000):
                time.sleep(0.01)
                yield b":\n"
        finally:
            left.set()

    Service(server, Answer(chunks=chunks()))
    return left


def test_a_stream_that_is_left_is_let_go(client: Make, server: FlakyServer) -> None:
    left = waiting(server)
    stream = client().events.stream()
    iterator = iter(stream)
    assert next(iterator)["id"] == "evt_0"
    stream.close()
    assert list(iterator) == []
    assert list(stream) == []
    assert left.wait(5)


def test_another_thread_ends_a_stream_that_waits(server: FlakyServer) -> None:
    # A stream that nobody ends waits longer than a test may take.
    patience = 2 * LONGEST
    silent = threading.Event()

    def chunks() -> Iterator[bytes]:
        yield told(0)
        silent.wait(patience)

    def read_until_closed(stream: LiveStream, waits_after: int) -> int:
        """Reads what there is, while another thread waits until that is read and closes the stream."""
        all_read = threading.Event()

        def close() -> None:
            all_read.wait()
            stream.close()

        closing = threading.Thread(target=close, daemon=True)
        closing.start()
        count = 0
        for count, _ in enumerate(stream, 1):
            if count == waits_after:
                all_read.set()
        closing.join()
        return count

    service = Service(server, Answer(chunks=chunks()))
    try:
        with Earnest(server.url) as client:
            # The client is in the middle of a stream.
            assert read_until_closed(client.events.stream(), 1) == 1
            # The client has read the pages and waits for the next stream.
            service.streams = [refusal(503, "streams_full", retry_after=str(patience))] * 2
            assert read_until_closed(client.events.stream(cursor="0"), 10) == 10
    finally:
        silent.set()


def test_a_task_that_is_cancelled_lets_its_stream_go(server: FlakyServer) -> None:
    async def main(end: Callable[[Any, asyncio.Task[None]], Any]) -> None:
        left = waiting(server)
        found: list[Any] = []
        async with AsyncEarnest(server.url) as client:
            stream = client.events.stream()

            async def read() -> None:
                async for event in stream:
                    found.append(event["id"])

            task = asyncio.create_task(read())
            while not found:
                await asyncio.sleep(0.01)
            await end(stream, task)
            assert await asyncio.to_thread(left.wait, 5)
            assert found == ["evt_0"]

    async def cancel(_: Any, task: asyncio.Task[None]) -> None:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def close(stream: Any, task: asyncio.Task[None]) -> None:
        await stream.close()
        await task

    asyncio.run(main(cancel))
    asyncio.run(main(close))


def test_the_caller_s_own_failure_is_no_cut(client: Make, server: FlakyServer) -> None:
    Service(server, stream_of(told(0), told(1)))

    def keep(cursor: str) -> None:
        raise earnest.ConnectionError(f"no disk for {cursor}")

    with pytest.raises(earnest.ConnectionError, match="no disk for 1"):
        take(client().events.stream(on_cursor=keep), 2)
