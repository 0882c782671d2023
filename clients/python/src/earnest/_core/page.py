from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, AsyncIterator, Awaitable, Callable, Generator, Generic, Iterator, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

from .call import OMITTED, Call, Omitted, RawResponse

Item = TypeVar("Item")
Body = TypeVar("Body")


class _Fetched(Generic[Item, Body]):
    items: list[Item]
    body: Body
    """The page of the response, with `total` if the list counts its items."""
    next_cursor: str | None
    """The `cursor` of the next page; None on the last page."""
    response: RawResponse

    def __init__(self, response: RawResponse) -> None:
        data = response.data
        plain = isinstance(data, list)
        self.items = data if plain else data["items"]
        self.next_cursor = _cursor_of_link(response.headers.get("link")) if plain else data["next_cursor"]
        self.body = cast(Body, data)
        self.response = response

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.items)} items, next_cursor={self.next_cursor!r}>"


class Page(_Fetched[Item, Body]):
    """One page of a list. An iteration continues with the next pages."""

    def __init__(self, response: RawResponse, ask: Callable[[str], Page[Item, Body]]) -> None:
        super().__init__(response)
        self._ask = ask

    def next_page(self) -> Page[Item, Body] | None:
        """Reads the next page; None after the last."""
        return None if self.next_cursor is None else self._ask(self.next_cursor)

    def __iter__(self) -> Iterator[Item]:
        page: Page[Item, Body] | None = self
        while page is not None:
            yield from page.items
            page = page.next_page()


class AsyncPage(_Fetched[Item, Body]):
    """One page of a list. An iteration continues with the next pages."""

    def __init__(self, response: RawResponse, ask: Callable[[str], Awaitable[AsyncPage[Item, Body]]]) -> None:
        super().__init__(response)
        self._ask = ask

    async def next_page(self) -> AsyncPage[Item, Body] | None:
        """Reads the next page; None after the last."""
        return None if self.next_cursor is None else await self._ask(self.next_cursor)

    async def __aiter__(self) -> AsyncIterator[Item]:
        page: AsyncPage[Item, Body] | None = self
        while page is not None:
            for item in page.items:
                yield item
            page = await page.next_page()


class AsyncPages(Generic[Item, Body]):
    """A list. Await it for the first page, or iterate over the items of all pages."""

    def __init__(self, first: Callable[[], Awaitable[AsyncPage[Item, Body]]]) -> None:
        self._first = first

    def __await__(self) -> Generator[Any, Any, AsyncPage[Item, Body]]:
        return self._first().__await__()

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for item in await self._first():
            yield item


def at_cursor(call: Call[Body], cursor: str) -> Call[Body]:
    """Returns the call for the page at a cursor. It drops the offset, which the service refuses beside a cursor."""
    query: dict[str, Any | Omitted] = {**call.query, "offset": OMITTED, "cursor": cursor}
    return replace(call, query=query)


def _cursor_of_link(link: str | None) -> str | None:
    """Reads the cursor in the URL of the next page (RFC 8288)."""
    match = re.search(r'<([^>]*)>\s*;\s*rel="?next"?', link or "")
    return parse_qs(urlsplit(match[1]).query).get("cursor", [None])[0] if match else None
