from __future__ import annotations

from typing import Any, TypeVar, cast

from .call import Call, RawResponse, RequestOptions
from .driver import AsyncDriver, Driver
from .flow import Flow, T
from .page import AsyncPage, AsyncPages, Page, at_cursor
from .transport import Core

Item = TypeVar("Item")


class Transport:
    """A core that runs flows by blocking calls."""

    def __init__(self, core: Core, driver: Driver) -> None:
        self.core = core
        self.driver = driver

    def run(self, flow: Flow[T]) -> T:
        return self.driver.run(flow)


class FlowTransport(Transport):
    """A core that runs nothing: its methods return their flows, for `ask` within another flow."""

    def __init__(self, core: Core) -> None:
        self.core = core

    def run(self, flow: Flow[T]) -> T:
        return cast(T, flow)


class AsyncTransport:
    """A core that runs flows by awaiting."""

    def __init__(self, core: Core, driver: AsyncDriver) -> None:
        self.core = core
        self.driver = driver

    async def run(self, flow: Flow[T]) -> T:
        return await self.driver.run(flow)


class Resource:
    """The base of the generated classes, which sends their calls."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _send(self, call: Call[T], options: RequestOptions | None) -> T:
        return self._transport.run(self._transport.core.send(call, options))

    def _send_page(self, call: Call[Any], options: RequestOptions | None) -> Page[Any, Any]:
        def read(exchange: Flow[RawResponse]) -> Flow[Page[Any, Any]]:
            return Page(
                (yield from exchange), lambda cursor: self._send_page(at_cursor(call, cursor), options)
            )

        return self._transport.run(read(self._transport.core.exchange(call, options)))


class AsyncResource:
    """The base of the generated classes, which sends their calls."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def _send(self, call: Call[T], options: RequestOptions | None) -> T:
        return await self._transport.run(self._transport.core.send(call, options))

    def _send_page(self, call: Call[Any], options: RequestOptions | None) -> AsyncPages[Any, Any]:
        async def ask(call: Call[Any]) -> AsyncPage[Any, Any]:
            response = await self._transport.run(self._transport.core.exchange(call, options))
            return AsyncPage(response, lambda cursor: ask(at_cursor(call, cursor)))

        return AsyncPages(lambda: ask(call))
