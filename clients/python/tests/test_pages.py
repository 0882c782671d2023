from __future__ import annotations

import asyncio
from typing import Any, Callable

import pytest
from flaky import Answer, FlakyServer, Seen, refusal

import earnest
from earnest import AsyncEarnest, RequestOptions

Make = Callable[..., Any]
pytestmark = pytest.mark.usefixtures("no_jitter")


def three_pages(seen: Seen) -> Answer:
    at = int(seen.query.get("cursor", ["0"])[0])
    page = {
        "items": [{"id": f"ord_{n}"} for n in (at * 2, at * 2 + 1)],
        "total": 6,
        "next_cursor": str(at + 1) if at < 2 else None,
    }
    return Answer(page)


def test_a_list_goes_on_to_its_next_page(client: Make, server: FlakyServer) -> None:
    server.otherwise = three_pages
    assert [order["id"] for order in client().orders.list(status="funded", offset=0)] == [
        f"ord_{n}" for n in range(6)
    ]
    assert [seen.query for seen in server.seen] == [
        {"status": ["funded"], "offset": ["0"]},
        {"status": ["funded"], "cursor": ["1"]},
        {"status": ["funded"], "cursor": ["2"]},
    ]


def test_no_page_is_fetched_before_it_is_wanted(client: Make, server: FlakyServer) -> None:
    server.otherwise = three_pages
    for order in client().orders.list():
        if order["id"] == "ord_1":
            break
    assert len(server.seen) == 1


def test_a_page_by_itself(server: FlakyServer) -> None:
    server.otherwise = three_pages
    with earnest.Earnest(server.url) as one:
        page = one.orders.list(options=RequestOptions(headers={"x": "y"}))
        assert (page.body["total"], page.next_cursor, page.response.status) == (6, "1", 200)
        second = page.next_page()
        assert second is not None
        assert [item["id"] for item in second.items] == ["ord_2", "ord_3"]
        assert server.seen[1].headers["x"] == "y"
        last = second.next_page()
        assert last is not None
        assert last.next_page() is None

    async def main() -> None:
        async with AsyncEarnest(server.url) as one:
            page = await one.orders.list()
            second = await page.next_page()
            assert second is not None
            assert [item["id"] async for item in second] == [f"ord_{n}" for n in range(2, 6)]
            assert "AsyncPage of 2 items" in repr(page)

    asyncio.run(main())


def test_a_plain_array_goes_on_by_its_link(client: Make, server: FlakyServer) -> None:
    link = '</api/v1/agents/mine?cursor=c%3D2&limit=1>; rel="next"'
    server.answers = [Answer([{"id": 1}], headers={"link": link}), Answer([{"id": 2}])]
    assert [agent["id"] for agent in client().agents.list_mine(limit=1)] == [1, 2]
    assert server.seen[1].query == {"limit": ["1"], "cursor": ["c=2"]}


class Feed:
    """Events 0 to `last`, three on a page; the cursor is where to go on."""

    def __init__(self, last: int) -> None:
        self.last = last

    def __call__(self, seen: Seen) -> Answer:
        at = int(seen.query.get("cursor", ["0"])[0])
        end = min(at + 3, self.last + 1)
        events = [{"id": f"evt_{n}", "type": "order.created"} for n in range(at, end)]
        return Answer({"items": events, "next_cursor": str(end), "has_more": end <= self.last})


def test_the_feed_goes_on_where_it_was(client: Make, server: FlakyServer) -> None:
    server.otherwise = Feed(7)
    kept: list[str] = []
    stream = client().events.follow(until_caught_up=True, on_cursor=kept.append, types=["order.created"])
    assert [event["id"] for event in stream] == [f"evt_{n}" for n in range(8)]
    assert kept == ["3", "6", "8"]
    assert stream.cursor == "8"
    assert server.seen[0].query == {"type": ["order.created"], "limit": ["100"]}
    server.otherwise = Feed(9)
    again = client().events.follow(cursor=stream.cursor, until_caught_up=True)
    assert [event["id"] for event in again] == ["evt_8", "evt_9"]


def test_the_cursor_does_not_move_before_a_page_was_handled(client: Make, server: FlakyServer) -> None:
    server.otherwise = Feed(7)
    stream = client().events.follow(poll=0.01)
    ids = []
    for event in stream:
        ids.append(event["id"])
        if event["id"] == "evt_4":
            break
    assert stream.cursor == "3"
    again = client().events.follow(cursor=stream.cursor, until_caught_up=True)
    assert {*ids, *(event["id"] for event in again)} == {f"evt_{n}" for n in range(8)}


def test_the_feed_has_no_end(client: Make, server: FlakyServer) -> None:
    feed = Feed(1)
    server.otherwise = feed
    ids = []
    for event in client().events.follow(poll=0.01):
        ids.append(event["id"])
        feed.last += 1
        if len(ids) == 10:
            break
    assert ids == [f"evt_{n}" for n in range(10)]


def test_the_feed_goes_on_through_outages(client: Make, server: FlakyServer) -> None:
    server.otherwise = Feed(3)
    outage = [
        refusal(503, "dependency_unavailable"),
        Answer(fault="lost"),
        refusal(429, "rate_limited", retry_after="0"),
    ]
    server.answers = [*outage, *outage, *outage]
    stream = client(max_retries=1).events.follow(poll=0.01, until_caught_up=True)
    assert [event["id"] for event in stream] == ["evt_0", "evt_1", "evt_2", "evt_3"]


def test_the_feed_raises_what_waiting_does_not_mend(client: Make, server: FlakyServer) -> None:
    server.otherwise = lambda _: refusal(401, "unauthenticated")
    with pytest.raises(earnest.AuthenticationError):
        next(iter(client().events.follow()))


def test_the_feed_from_now_on(client: Make, server: FlakyServer) -> None:
    feed = Feed(7)
    server.otherwise = feed
    stream = iter(client().events.follow(start="now", poll=0.01, on_cursor=lambda cursor: grow(cursor)))

    def grow(cursor: str) -> None:
        if cursor == "8":
            feed.last = 8

    assert next(stream)["id"] == "evt_8"
