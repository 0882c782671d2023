"""The work of one order as a flow: started, done by its handler, delivered, recorded.

The order's status says which steps are left, so a run after a crash continues there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Callable, Mapping

from typing_extensions import TypeAlias

from .._core.call import RequestOptions
from .._core.flow import Flow, Run, ask
from .._core.retry import is_temporary
from .._core.times import read_time
from .._generated import types
from .._generated.api import Api
from ..buying.agreed import AgreedOrder, read_agreed
from ..buying.chain import read_now
from ..buying.errors import relay_failure
from ..buying.market import Markets, UntrustedOrderError, create_comparison, find_market
from ..buying.paying import sign
from ..errors import ApiError
from ..settlement import digest_of, refund_data
from ..wallet import AnyWallet
from .errors import DeclinedError
from .funded import check_funded
from .record import record_data_of
from .waits import outlast, pause

_SIGNATURE_SECONDS = 86_400


@dataclass
class HandlerContext:
    """The arguments of a handler about its order."""

    order: types.Order
    agreement: Mapping[str, Any]
    deliver_by: datetime
    """The delivery deadline, after which the buyer may reclaim the money. An async handler is cancelled then."""
    is_retry: bool
    """Whether an earlier run started the order without a delivery. Parts of the work may be done."""
    changes: str | None
    """The changes that the buyer requested, if any."""
    stage: types.OrderStage | None = None
    """The stage to work on, of an order in stages. Each call of the handler returns the output of one stage."""
    attempt: int = 1
    """1 for the first call of this run."""
    last_error: Exception | None = None
    """Why the previous call failed: its exception, or the refusal of its output (`output_schema_violation`)."""

    @property
    def seconds_left(self) -> float:
        """Seconds until `deliver_by`; never below 0."""
        return max(0.0, (self.deliver_by - datetime.now(timezone.utc)).total_seconds())


@dataclass(frozen=True)
class Metered:
    """The output of a metered service with the units to charge: from 1 to the order's `quantity`."""

    output: Any
    units: int


Handler: TypeAlias = Callable[[Any, HandlerContext], Any]
"""Does the work of an order: gets the input, and returns the output in the form of the service's `output_schema`; of a metered
service, a `Metered`. In an async client, it may be async."""


@dataclass(frozen=True)
class Worker:
    """The dependencies of all orders' work."""

    api: Api
    agent_id: str
    handlers: Mapping[str, Handler]
    wallet: AnyWallet | None
    market: Markets | None
    attempts: int
    stopping: Callable[[], bool]
    """Ends waits. Running work is finished."""
    on_error: Callable[[Exception, str, HandlerContext | None], None]
    on_delivered: Callable[[str], None]

    def work_on(self, order_id: str) -> Flow[bool]:
        """Does the steps that are left of an order. True if this run has finished the order; raises nothing."""
        try:
            return (yield from self._work_on(order_id))
        except Exception as error:
            if not self.stopping():
                self.on_error(error, order_id, None)
            # A temporary error is retried.
            return not is_temporary(error)

    def _work_on(self, order_id: str) -> Flow[bool]:
        order = yield from ask(self.api.orders.get(order_id))
        if order["agent_id"] != self.agent_id:
            return True
        if order["status"] == "delivered" and self.wallet is not None and order["delivery_record"] == "none":
            # Each scan repeats this until the chain has the record.
            yield from self._record(self.wallet, (yield from self._read_agreed(order)), order)
            return False
        if order["status"] not in ("funded", "started"):
            return True
        agreed = yield from self._read_agreed(order)
        slug = str(agreed.agreement.get("service_slug"))
        if slug not in self.handlers:
            raise TypeError(f"There is no handler for the service {slug}.")
        yield from check_funded(agreed, self.wallet, self.market, self.stopping)
        deliver_by = read_time(order["delivery_deadline"] or "")
        if deliver_by is None or deliver_by <= datetime.now(timezone.utc) or self.stopping():
            return True
        begun = order["status"] == "started"
        if not begun:
            order = yield from ask(self.api.orders.start(order_id))
        stage = next((one for one in order.get("stages") or [] if one["state"] == "open"), None)
        changes, deliveries = yield from self._read_trail(order_id, stage)
        # A later stage begins in a started order.
        is_later = stage is not None and stage["number"] > 1
        is_retry = begun and changes is None and not is_later
        context = HandlerContext(order, agreed.agreement, deliver_by, is_retry, changes, stage)
        delivered = yield from self._attempt(self.handlers[slug], context, agreed, deliveries)
        if delivered is None:
            return True
        self.on_delivered(order_id)
        if self.wallet is None:
            return True
        yield from self._record(self.wallet, agreed, delivered)
        return False

    def _attempt(
        self, handler: Handler, context: HandlerContext, agreed: AgreedOrder, deliveries: int
    ) -> Flow[types.Order | None]:
        """Calls the handler until its output is accepted; None if the order is given up."""
        while True:
            try:
                done = yield Run(lambda: handler(context.order["input_payload"], context))
                delivery = {"output_payload": done}
                if isinstance(done, Metered):
                    delivery = {"output_payload": done.output, "units": done.units}
                # An equal delivery is the same one, but not after a request for changes.
                named = digest_of(delivery if isinstance(done, Metered) else done)
                key = f"deliver-{agreed.order_id}-{deliveries + 1}-{named[2:34]}"
                order = yield from self._deliver(agreed.order_id, delivery, key)
                compare, output = create_comparison(agreed.order_id), delivery["output_payload"]
                compare("order.output_payload", digest_of(output), digest_of(order["output_payload"]))
                if isinstance(done, Metered):
                    compare("order.units", done.units, order["units"])
                return order
            except Exception as error:
                context.last_error = error
                if isinstance(error, DeclinedError) and self.wallet is not None:
                    yield from self._refund(self.wallet, agreed)
                    return None
                self.on_error(error, agreed.order_id, context)
                # The order was refunded or disputed meanwhile, so nothing can be delivered.
                if isinstance(error, UntrustedOrderError) or (
                    isinstance(error, ApiError) and error.code == "invalid_state"
                ):
                    return None
                if context.attempt >= self.attempts or not context.seconds_left or self.stopping():
                    return None
            yield from pause(2.0 ** (context.attempt - 1), self.stopping)
            context.attempt += 1

    def _deliver(self, order_id: str, delivery: dict[str, Any], key: str) -> Flow[types.Order]:
        options = RequestOptions(idempotency_key=key)
        return (
            yield from outlast(
                lambda: ask(self.api.orders.deliver(order_id, **delivery, options=options)),
                self.stopping,
            )
        )

    def _read_agreed(self, order: types.Order) -> Flow[AgreedOrder]:
        agreement = yield from ask(self.api.orders.get_agreement(order["id"]))
        agreed = read_agreed(order["id"], order, agreement)
        payload = order["input_payload"]
        found = None if payload is None else digest_of(payload)
        create_comparison(order["id"])("order.input_payload", agreement.get("input_digest"), found)
        return agreed

    def _read_trail(self, order_id: str, stage: types.OrderStage | None) -> Flow[tuple[str | None, int]]:
        """Returns the changes that the buyer requested, of this stage, and the number of all deliveries."""
        changes, deliveries = None, 0
        page: Any = yield from ask(self.api.orders.list_trail(order_id))
        while page is not None:
            for entry in page.items:
                if entry["type"] == "order.delivered":
                    deliveries += 1
                is_of_stage = stage is None or entry["data"].get("stage") == stage["number"]
                if entry["type"] == "order.revision_requested" and is_of_stage:
                    changes = str(entry["data"]["reason"])
            page = None if page.next_cursor is None else (yield from page.next_page())
        return changes, deliveries

    def _record(self, wallet: AnyWallet, agreed: AgreedOrder, order: types.Order) -> Flow[None]:
        """Signs the delivery record, which the service sends to the chain. The record names only this order's escrow,
        this output and, of a metered order or a stage, this charge."""
        for is_last in (False, False, True):
            try:
                asked = yield from ask(self.api.orders.get_delivery_record_to_sign(order["id"]))
                shown = asked["typed_data"]
                data = record_data_of(agreed, order, int(str(shown["message"]["number"])))
                if digest_of(data) != digest_of(shown):
                    raise UntrustedOrderError(order["id"], "delivery_record.typed_data", data, shown)
                signature = yield from sign(wallet, data)
                yield from ask(self.api.orders.record_delivery(order["id"], signature=signature))
                failure = relay_failure(order["id"], "record of the delivery", asked)
                if failure is not None:
                    self.on_error(failure, order["id"], None)
                return
            except ApiError as error:
                # The delivery is recorded, the order has ended, or it is too late.
                if error.code in ("invalid_state", "conflict"):
                    return
                # The record of an earlier delivery reached the chain meanwhile, so the number of this one changed.
                if error.code != "invalid_request" or is_last:
                    raise

    def _refund(self, wallet: AnyWallet, agreed: AgreedOrder) -> Flow[None]:
        """Refunds the money to the buyer."""
        chain = None
        if self.market is not None:
            chain = (yield from find_market(self.market, agreed.escrow.chain_id)).chain
        deadline = (yield from read_now(chain)) + _SIGNATURE_SECONDS
        signature = yield from sign(wallet, refund_data(agreed.escrow, deadline=deadline))
        yield from ask(self.api.orders.refund(agreed.order_id, signature=signature, deadline=deadline))
