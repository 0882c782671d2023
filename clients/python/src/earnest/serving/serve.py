"""A provider's run: funded orders come from the feed, and scans find the others."""

from __future__ import annotations

import inspect
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Protocol

import anyio

from .._core.call import OMITTED
from .._core.flow import Flow, Run, ask
from .._core.resource import AsyncTransport, FlowTransport, Transport
from .._core.transport import Core
from .._generated import types
from .._generated.api import Api
from ..buying.market import Markets
from ..errors import EarnestError
from ..wallet import AnyWallet
from .queue import Queue
from .waits import outlast, pause
from .work import Handler, HandlerContext, Worker

logger = logging.getLogger("earnest")

_SWEEP = 60.0
"""Seconds between two scans of all open orders."""
_TYPES: list[types.EventType] = ["order.funded", "order.revision_requested", "order.part_released"]


class Stop(Protocol):
    """A signal that stops a run: an Event of threading, asyncio or anyio."""

    def is_set(self) -> bool: ...


@dataclass(frozen=True)
class ServeOptions:
    """See `Earnest.serve`."""

    wallet: AnyWallet | None
    market: Markets | None
    concurrency: int
    attempts: int
    stop: Stop | None
    cursor: str | None
    on_cursor: Callable[[str], Any] | None
    on_error: Callable[[Exception, str, HandlerContext | None], None] | None
    on_delivered: Callable[[str], None] | None
    poll: float


class Serving:
    """One run of a provider, with threads or tasks."""

    def __init__(
        self, core: Core, agent: str, handlers: Mapping[str, Handler], options: ServeOptions
    ) -> None:
        if not handlers:
            raise TypeError("Without handlers there is nothing to serve.")
        self.options = options
        self._api = Api(FlowTransport(core))
        self._agent = agent
        self._handlers = handlers
        self._cursor = options.cursor
        self._ended = False
        self._worker: Worker | None = None

    def stopping(self) -> bool:
        return self._ended or (self.options.stop is not None and self.options.stop.is_set())

    def end(self) -> None:
        self._ended = True

    def work_on(self, order_id: str) -> Flow[bool]:
        assert self._worker is not None
        return self._worker.work_on(order_id)

    def watch(self, queue: Queue) -> Flow[None]:
        """Queues the agent's open orders until the run stops."""
        try:
            yield from self._watch(queue)
        except EarnestError:
            # The service was unavailable at the time of the stop.
            if not self.stopping():
                raise

    def _watch(self, queue: Queue) -> Flow[None]:
        agent = yield from outlast(lambda: ask(self._api.agents.get(self._agent)), self.stopping)
        options = self.options
        self._worker = Worker(
            self._api,
            agent["id"],
            self._handlers,
            options.wallet,
            options.market,
            options.attempts,
            self.stopping,
            self._report_error,
            self._report_delivered,
        )
        # The cursor is read before the orders are listed, so that later events are not missed.
        more = self._cursor is None
        while more and not self.stopping():
            page = yield from outlast(self._read_feed, self.stopping)
            more = page["has_more"]
        swept = float("-inf")
        while not self.stopping():
            if time.monotonic() - swept >= _SWEEP:
                yield from outlast(lambda: self._sweep(queue, agent["id"]), self.stopping)
                swept = time.monotonic()
            page = yield from outlast(self._read_feed, self.stopping)
            for event in page["items"]:
                data: Any = event["data"]
                if "order" in data and data["order"]["agent_id"] == agent["id"]:
                    queue.add(data["order"]["id"], event["type"] != "order.funded")
            if not page["has_more"]:
                yield from pause(options.poll, self.stopping)

    def _read_feed(self) -> Flow[types.FeedPage]:
        page = yield from ask(self._api.events.list(cursor=self._cursor or OMITTED, type=_TYPES, limit=100))
        cursor, on_cursor = page["next_cursor"], self.options.on_cursor
        if cursor != self._cursor:
            self._cursor = cursor
            if on_cursor is not None:
                yield Run(lambda: on_cursor(cursor))
        return page

    def _sweep(self, queue: Queue, agent_id: str) -> Flow[None]:
        """Lists the agent's open orders."""
        found: set[str] = set()
        statuses: tuple[types.OrderStatus, ...] = ("started", "funded", "delivered")
        for status in statuses:
            page: Any = yield from ask(self._api.orders.list_received(status=status, limit=100))
            while page is not None:
                for order in page.items:
                    is_done = status == "delivered" and (
                        self.options.wallet is None or order["delivery_record"] != "none"
                    )
                    if order["agent_id"] == agent_id and not is_done:
                        found.add(order["id"])
                        queue.add(order["id"])
                page = None if page.next_cursor is None else (yield from page.next_page())
        queue.forget(found)

    def _report_error(self, error: Exception, order_id: str, context: HandlerContext | None) -> None:
        on_error = self.options.on_error
        logger.warning("%s: %s", order_id, error, exc_info=error if on_error is None else None)
        if on_error is not None:
            _call(lambda: on_error(error, order_id, context))

    def _report_delivered(self, order_id: str) -> None:
        on_delivered = self.options.on_delivered
        logger.info("%s: delivered", order_id)
        if on_delivered is not None:
            _call(lambda: on_delivered(order_id))


def _call(callback: Callable[[], object]) -> None:
    """Calls a callback. Its errors do not end the run."""
    try:
        callback()
    except Exception:
        logger.exception("A callback of serve failed")


def serve(transport: Transport, agent: str, handlers: Mapping[str, Handler], options: ServeOptions) -> None:
    """Runs the work in threads."""
    for service, handler in handlers.items():
        if inspect.iscoroutinefunction(handler):
            raise TypeError(f"The handler of {service} is async: serve it with AsyncEarnest.")
    serving = Serving(transport.core, agent, handlers, options)

    def work(order_id: str) -> None:
        over = True
        try:
            over = transport.run(serving.work_on(order_id))
        finally:
            queue.end(order_id, over)

    # Leaving the pool waits for the running work.
    with ThreadPoolExecutor(options.concurrency, thread_name_prefix="earnest-serve") as pool:
        queue = Queue(options.concurrency, lambda order_id: pool.submit(work, order_id))
        try:
            transport.run(serving.watch(queue))
        finally:
            serving.end()
            queue.close()


async def serve_async(
    transport: AsyncTransport, agent: str, handlers: Mapping[str, Handler], options: ServeOptions
) -> None:
    """Runs the work in tasks. Cancelling it cancels them; a stop lets them finish."""
    bounded = {service: bind(handler) for service, handler in handlers.items()}
    serving = Serving(transport.core, agent, bounded, options)
    failure: Exception | None = None

    async def work(order_id: str) -> None:
        over = True
        try:
            over = await transport.run(serving.work_on(order_id))
        finally:
            queue.end(order_id, over)

    async with anyio.create_task_group() as tasks:
        queue = Queue(options.concurrency, lambda order_id: tasks.start_soon(work, order_id))
        try:
            await transport.run(serving.watch(queue))
        except Exception as error:
            # The error is raised after the running work has ended.
            failure = error
        finally:
            serving.end()
            queue.close()
    if failure is not None:
        raise failure


def bind(handler: Handler) -> Handler:
    """Ends a handler at its order's deadline."""

    async def call(payload: Any, context: HandlerContext) -> Any:
        with anyio.fail_after(context.seconds_left):
            output = handler(payload, context)
            return await output if inspect.isawaitable(output) else output

    return call
