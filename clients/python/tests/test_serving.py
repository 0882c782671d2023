"""Running a provider of a real service, by threads and by tasks."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any, Callable, Iterator

import pytest
from proxy import Proxy, put
from test_life import rpc_url, wait_until
from test_service import url
from trading import Member, amount, balance, join, join_with_service, market

import earnest
from earnest import AsyncEarnest, DeclinedError, HandlerContext, Purchase, UntrustedOrderError
from earnest.serving.queue import Queue
from earnest.serving.serve import bind

Count = Callable[[Any, HandlerContext], Any]


class Run:
    """A provider that serves in a thread of its own: by threads, or by tasks of an event loop."""

    def __init__(self, mode: str, provider: Member, service: Any, count: Count, **options: Any) -> None:
        self.stop = threading.Event()
        _begun.append(self)
        self._failure: BaseException | None = None
        agent = service["agent"]["slug"]
        given: Any = {
            "wallet": provider.wallet,
            "market": market(),
            "stop": self.stop,
            "poll": 0.2,
            **options,
        }

        async def count_async(payload: Any, context: HandlerContext) -> Any:
            return await asyncio.to_thread(count, payload, context)

        async def serve_async() -> None:
            address = provider.client._transport.core.origin
            async with AsyncEarnest(address, api_key=provider.token) as client:
                await client.serve(agent, {"count": count_async}, **given)

        def run() -> None:
            try:
                if mode == "async":
                    asyncio.run(serve_async())
                else:
                    provider.client.serve(agent, {"count": count}, **given)
            except BaseException as error:
                self._failure = error

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def join(self) -> None:
        self._thread.join(60)
        assert not self._thread.is_alive()

    def end(self) -> None:
        self.stop.set()
        self.join()
        if self._failure is not None:
            raise self._failure


_begun: list[Run] = []


@pytest.fixture(autouse=True)
def ends() -> Iterator[None]:
    """Ends the runs of a test after any result."""
    yield
    while _begun:
        _begun.pop().stop.set()


def buy_all(buyer: Member, service: Any, *texts: str) -> list[Purchase]:
    """Buys at once."""
    with ThreadPoolExecutor(len(texts)) as pool:
        return list(pool.map(lambda text: buyer.buy(service, {"text": text}), texts))


def is_recorded(buyer: Member, purchase: Purchase) -> bool:
    return buyer.client.orders.get(purchase.order_id)["delivery_record"] == "matched"


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_does_what_waits_and_what_comes_and_records_it(mode: str) -> None:
    buyer, (provider, service) = join(), join_with_service()
    begun, unrecorded, waiting = buy_all(buyer, service, "begun", "unrecorded", "waiting")
    for one in (begun, unrecorded):
        provider.client.orders.start(one.order_id)
    provider.client.orders.deliver(unrecorded.order_id, output_payload={"characters": 10})
    told: dict[str, list[tuple[int, bool, str]]] = {}
    errors: list[str] = []
    delivered: list[str] = []
    running, most = 0, 0
    lock, both = threading.Lock(), threading.Barrier(2)

    def count(given: Any, context: HandlerContext) -> Any:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        last = type(context.last_error).__name__
        told.setdefault(given["text"], []).append((context.attempt, context.is_retry, last))
        deadline = context.order["delivery_deadline"] or ""
        assert deadline.startswith(context.deliver_by.strftime("%Y-%m-%dT%H:%M:%S"))
        assert 0 < context.seconds_left <= 3600
        assert context.agreement["order_id"] == context.order["id"]
        if given["text"] in ("begun", "waiting"):
            both.wait(60)
        with lock:
            running -= 1
        if given["text"] == "late" and context.attempt == 1:
            raise RuntimeError("Once.")
        return {"characters": "none" if context.attempt == 2 else len(given["text"])}

    run = Run(
        mode,
        provider,
        service,
        count,
        concurrency=2,
        on_error=lambda error, order_id, context: errors.append(f"{error}"),
        on_delivered=delivered.append,
    )
    late, *more = buy_all(buyer, service, "late", "more 1", "more 2")
    purchases = {"begun": begun, "unrecorded": unrecorded, "waiting": waiting, "late": late}
    for text, purchase in {**purchases, "more 1": more[0], "more 2": more[1]}.items():
        assert purchase.delivery().output == {"characters": len(text)}
        wait_until(partial(is_recorded, buyer, purchase))
    run.end()
    assert most == 2
    once = [(1, False, "NoneType")]
    assert told == {
        "begun": [(1, True, "NoneType")],
        "waiting": once,
        "late": [*once, (2, False, "RuntimeError"), (3, False, "UnprocessableError")],
        "more 1": once,
        "more 2": once,
    }
    assert errors[0] == "Once."
    assert errors[1].startswith("output_schema_violation")
    assert len(errors) == 2
    expected = [begun, waiting, late, *more]
    assert sorted(delivered) == sorted(purchase.order_id for purchase in expected)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_stop_finishes_what_runs_and_takes_nothing_more(mode: str) -> None:
    buyer, (provider, service) = join(), join_with_service()
    first, second = buy_all(buyer, service, "first", "second")
    called, goes_on = threading.Event(), threading.Event()

    def count(given: Any, context: HandlerContext) -> Any:
        called.set()
        assert goes_on.wait(60)
        return {"characters": len(given["text"])}

    run = Run(mode, provider, service, count, concurrency=1)
    assert called.wait(60)
    run.stop.set()
    goes_on.set()
    run.end()
    orders = [buyer.client.orders.get(one.order_id) for one in (first, second)]
    assert sorted(order["status"] for order in orders) == ["delivered", "funded"]


def test_delivers_again_what_is_to_be_changed_and_gives_back_what_it_declines() -> None:
    buyer, (provider, service) = join(), join_with_service()
    changed, declined = buy_all(buyer, service, "changed", "declined")

    def count(given: Any, context: HandlerContext) -> Any:
        if given["text"] == "declined":
            raise DeclinedError("Not today.")
        return {"characters": 7 if context.changes == "Not zero." else 0}

    run = Run("sync", provider, service, count)
    assert changed.delivery().output == {"characters": 0}
    changed.request_changes("Not zero.")
    wait_until(lambda: changed.delivery().output == {"characters": 7})
    with pytest.raises(earnest.OrderEndedError, match="refunded"):
        declined.delivery()
    run.end()
    assert balance(buyer.wallet.address) == 9 * amount


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_does_an_order_that_the_node_could_not_tell_of_at_first(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("earnest.serving.serve._SWEEP", 2.0)
    monkeypatch.setattr("earnest.serving.funded._AGAIN", (0.1, 0.2))
    buyer, (provider, service) = join(), join_with_service()
    (purchase,) = buy_all(buyer, service, "patience")
    replaced = {"code": -32602, "message": "BlockOutOfRangeError: block height is 8 but requested was 7"}
    # The failure is reported after three tries of six requests each. Then the order is found again.
    left: list[Any] = [*[replaced] * 18, None]
    errors: list[Exception] = []
    with Proxy(rpc_url) as node:

        def lie(call: str, answer: Any) -> Any:
            if not call.endswith("eth_call") or len(answer["result"]) <= 66 or not left:
                return answer
            error = left.pop(0)
            if error is not None:
                return {"jsonrpc": "2.0", "id": 1, "error": error}
            return {**answer, "result": "0x" + "0" * (len(answer["result"]) - 2)}

        node.change_responses(lie)
        run = Run(
            mode,
            provider,
            service,
            lambda given, context: {"characters": len(given["text"])},
            market=market(node.url),
            on_error=lambda error, order_id, context: errors.append(error),
        )
        assert purchase.delivery().output == {"characters": 8}
        run.end()
    assert [type(error) for error in errors] == [earnest.NodeError]
    assert left == []


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_that_is_stopped_while_it_waits_for_its_node_asks_it_once_more(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("earnest.serving.funded._AGAIN", (60.0, 60.0, 60.0))
    buyer, (provider, service) = join(), join_with_service()
    buy_all(buyer, service, "stopped")
    asked: list[str] = []
    errors: list[Exception] = []
    with Proxy(rpc_url) as node:

        def lie(call: str, answer: Any) -> Any:
            if not call.endswith("eth_call") or len(answer["result"]) <= 66:
                return answer
            asked.append(call)
            return {**answer, "result": "0x" + "0" * (len(answer["result"]) - 2)}

        node.change_responses(lie)
        run = Run(
            mode,
            provider,
            service,
            lambda given, context: {"characters": len(given["text"])},
            market=market(node.url),
            on_error=lambda error, order_id, context: errors.append(error),
        )
        wait_until(lambda: asked)
        run.end()
    assert len(asked) == 2
    assert errors == []


def test_signs_no_record_but_of_its_delivery_and_works_for_no_money_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("earnest.serving.funded._AGAIN", (0.1,))
    buyer = join()
    with Proxy(url) as server:
        provider, service = join_with_service(server.url)
        (funded,) = buy_all(buyer, service, "funded")
        unpaid = buyer.client.orders.place(service_id=service["id"], input_payload={"text": "unpaid"})
        swap = put("/delivery-record$", "typed_data.message.outputHash", "0x" + "11" * 32)

        def lie(call: str, answer: Any) -> Any:
            if call.endswith(unpaid["id"]):
                deadline = buyer.client.orders.get(funded.order_id)["delivery_deadline"]
                return {**answer, "status": "funded", "delivery_deadline": deadline}
            if call == "GET /api/v1/orders/received" and unpaid["id"] not in str(answer):
                return {**answer, "items": [*answer["items"], {**unpaid, "status": "funded"}]}
            return swap(call, answer)

        server.change_responses(lie)
        calls: list[str] = []
        fields: dict[str, str] = {}

        def count(given: Any, context: HandlerContext) -> Any:
            calls.append(given["text"])
            return {"characters": 6}

        def on_error(error: Exception, order_id: str, context: Any) -> None:
            assert isinstance(error, UntrustedOrderError)
            fields[order_id] = error.field
            raise RuntimeError("What is raised here does not end the run.")

        signed = len(provider.wallet.signed)
        run = Run("sync", provider, service, count, on_error=on_error)
        wait_until(lambda: len(fields) == 2)
        run.end()
    assert fields == {
        unpaid["id"]: "order.escrow.status",
        funded.order_id: "delivery_record.typed_data",
    }
    assert calls == ["funded"]
    assert len(provider.wallet.signed) == signed
    assert buyer.client.orders.get(funded.order_id)["delivery_record"] == "none"


def test_ends_for_what_waiting_does_not_mend() -> None:
    provider, service = join_with_service()
    stranger = Member(earnest.Earnest(url, api_key="esk_none"), provider.wallet, "esk_none")
    for mode in ("sync", "async"):
        run = Run(mode, stranger, service, lambda given, context: given)
        run.join()
        with pytest.raises(earnest.AuthenticationError):
            run.end()


def test_an_async_handler_ends_at_its_deadline() -> None:
    async def slow(given: Any, context: Any) -> Any:
        await asyncio.sleep(60)

    soon = datetime.now(timezone.utc) + timedelta(seconds=0.05)
    context: Any = HandlerContext({}, {}, soon, False, None)  # type: ignore[typeddict-item]
    with pytest.raises(TimeoutError):
        asyncio.run(bind(slow)({}, context))
    assert context.seconds_left == 0


def test_a_queue_works_on_each_once_and_on_so_many_at_once() -> None:
    begun: list[str] = []
    queue = Queue(2, begun.append)
    for id in ("a", "b", "a", "c"):
        queue.add(id)
    assert begun == ["a", "b"]
    queue.add("a", anew=True)
    queue.end("a", over=True)
    # A repeated order waits behind the orders that waited before it.
    assert begun == ["a", "b", "c"]
    queue.end("b", over=True)
    assert begun == ["a", "b", "c", "a"]
    queue.end("c", over=False)
    queue.add("b")
    queue.add("c")
    assert begun == ["a", "b", "c", "a", "c"]
    queue.forget(["a"])
    queue.end("c", over=True)
    queue.add("b")
    assert begun[-1] == "b"
    queue.close()
    queue.end("a", over=True)
    queue.add("d")
    assert begun[-1] == "b"
    with pytest.raises(TypeError, match="concurrency"):
        Queue(0, begun.append)


def test_handlers_that_cannot_be_served_are_refused_at_once() -> None:
    async def count(given: Any, context: Any) -> None: ...

    with earnest.Earnest(url) as client:
        with pytest.raises(TypeError, match="is async"):
            client.serve("an-agent", {"count": count})
        with pytest.raises(TypeError, match="Without handlers"):
            client.serve("an-agent", {})
