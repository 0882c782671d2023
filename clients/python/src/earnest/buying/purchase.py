"""The steps of a purchase as flows: payment, delivery, acceptance."""

from __future__ import annotations

from typing import Any, Callable

from .._core.call import RequestOptions
from .._core.flow import Flow, ask
from .._core.times import read_time
from .._core.transport import Core
from .._generated import types
from .._generated.api import Api
from ..errors import ApiError
from ..receipts import issuer_of
from ..settlement import digest_of, dispute_data, hash_of_text, refund_call
from ..wallet import Sender
from .chain import read_now
from .charge import is_metered
from .delivery import Delivery, read_delivery
from .errors import ApprovalRequiredError, OrderEndedError, relay_failure
from .market import Market
from .paying import Payment, PaymentFailedError, pay_order, sign
from .receipt import ReleaseReceipt, read_receipt
from .release import paid_amount_of, release_data_of
from .sending import send_call
from .stages import waiting_stage_of
from .watch import Watch

_PAYMENTS = 3
"""The most payments that may fail on the chain."""
_SIGNATURE_SECONDS = 86_400
ENDED = ("expired", "released", "refunded")
"""The statuses after which an equal purchase is a new purchase."""


class Buying:
    """The dependencies of a purchase."""

    order: types.Order
    """The order at its last read."""

    claim: types.OrderClaim | None
    """The claim of an order that was bought without an account."""

    def __init__(
        self,
        core: Core,
        market: Market,
        payment: Payment,
        order: types.Order,
        *,
        act_as: Callable[[], Flow[Api]] | None = None,
        claim: types.OrderClaim | None = None,
    ) -> None:
        """
        Args:
            act_as: returns the API that acts for the buyer, by default that of `payment`, which reads the order
        """
        self.core, self.market, self.payment, self.order = core, market, payment, order
        self.agreed, self.wallet, self.api = payment.agreed, payment.wallet, payment.api
        self.claim, self._act_as = claim, act_as
        self.watch = Watch(core, order["id"], is_blind=claim is not None)

    def fund(self) -> Flow[None]:
        """Pays an unpaid order, and waits until the service has seen the money on the chain."""
        if self.order["status"] == "created":
            approval = self.order.get("approval")
            if approval is not None and approval["status"] in ("pending", "refused"):
                raise ApprovalRequiredError(self.order)
            try:
                yield from pay_order(self.payment)
            except ApiError as error:
                # An order of another key may exceed this key's approval limit.
                if error.code == "approval_required":
                    raise ApprovalRequiredError(self.order) from error
                raise
        yield from self.follow(lambda: pay_order(self.payment))

    def follow(self, pay: Callable[[], Flow[None]]) -> Flow[None]:
        """Waits until the service has seen the money on the chain.

        Args:
            pay: pays again after a payment that the chain refused
        """
        failed = 0

        def check(order: types.Order) -> Flow[bool]:
            nonlocal failed
            if order["status"] == "expired":
                raise OrderEndedError(order["id"], "expired", "funded")
            if order["status"] != "created":
                return True
            if self.payment.rail != "x402":
                return False
            latest = (yield from ask(self.api.orders.get_payment(order["id"])))["payment"]
            if latest is not None and latest["status"] == "failed":
                failed += 1
                if failed >= _PAYMENTS:
                    raise PaymentFailedError(order["id"], latest["error"] or "transaction_failed")
                yield from pay()
            return False

        yield from self._until(check)

    def delivery(self) -> Flow[Delivery]:
        def check(order: types.Order) -> Flow[bool]:
            yield from ()
            if order["status"] in ("refunded", "expired"):
                raise OrderEndedError(order["id"], order["status"], "delivered")
            disputed = order["status"] == "disputed" and order["delivered_at"] is not None
            return disputed or order["status"] in ("delivered", "released")

        order = yield from self._until(check)
        return (yield from read_delivery(self.api, self.agreed, order))

    def accept(self) -> Flow[ReleaseReceipt]:
        acting = self._acting()

        def act() -> Flow[None]:
            stage = waiting_stage_of(self.agreed, self.order)
            if stage is not None and not stage.is_final:
                raise TypeError(
                    f"Further stages of {self.agreed.order_id} follow: pay stage {stage.number} by accept_stage."
                )
            yield from self._release(acting)

        def read() -> Flow[Any]:
            try:
                return (yield from ask(self.api.receipts.get_final(self.agreed.order_id)))
            except ApiError as error:
                if error.code != "not_settled":
                    raise
                return None

        yield from self._reach_state(
            lambda order: order["status"] == "released",
            "released",
            act,
            lambda: self._check_release(acting),
            self._is_unrecorded,
        )
        document = yield from self.watch.until(read)
        issuer = self.market.issuer or issuer_of(self.core.root)
        amount = paid_amount_of(self.agreed, self.order)
        return (yield from read_receipt(document, self.agreed, amount, issuer, self.market.rpc_url))

    def _is_unrecorded(self, order: types.Order) -> bool:
        """Whether a delivered metered order waits for its record. With it the rest of the balance comes back with the payment."""
        return (
            is_metered(self.agreed) and order["status"] == "delivered" and order["delivery_record"] == "none"
        )

    def accept_stage(self, number: int) -> Flow[types.Order]:
        acting, order_id = self._acting(), self.agreed.order_id

        def is_accepted(order: types.Order) -> bool:
            stages = order.get("stages") or []
            return 1 <= number <= len(stages) and stages[number - 1]["state"] == "accepted"

        def act() -> Flow[None]:
            stage = waiting_stage_of(self.agreed, self.order)
            if stage is None or stage.number != number:
                raise TypeError(f"Stage {number} of {order_id} is not delivered.")
            yield from self._release(acting)

        return (
            yield from self._reach_state(is_accepted, "accepted", act, lambda: self._check_release(acting))
        )

    def _release(self, acting: Callable[[], Flow[Api]]) -> Flow[None]:
        """Signs the release of the order or of its delivered stage, which the service sends to the chain."""
        deadline = yield from self._signature_deadline()
        data = release_data_of(self.agreed, self.order, deadline)
        signature = yield from sign(self.wallet, data)
        orders = (yield from acting()).orders
        yield from ask(orders.release(self.agreed.order_id, signature=signature, deadline=deadline))

    def _check_release(self, acting: Callable[[], Flow[Api]]) -> Flow[None]:
        """Raises the failure of a release that the contract refused."""
        try:
            orders = (yield from acting()).orders
            shown = yield from ask(orders.get_release_to_sign(self.agreed.order_id))
        except ApiError as error:
            # Nothing is left to sign: the release is on the chain, and the order will show it.
            if error.code != "invalid_state":
                raise
            return
        failure = relay_failure(self.agreed.order_id, "release", shown)
        if failure is not None:
            raise failure

    def request_changes(self, reason: str) -> Flow[types.Order]:
        # An equal reason is the same request, even after a crash.
        key = f"changes-{self.agreed.order_id}-{digest_of(reason)[2:34]}"
        options = RequestOptions(idempotency_key=key)
        orders = (yield from self._acting()()).orders
        self.order = yield from ask(
            orders.request_revision(self.agreed.order_id, reason=reason, options=options)
        )
        return self.order

    def dispute(self, reason: str) -> Flow[types.Order]:
        acting = self._acting()

        def act() -> Flow[None]:
            deadline, escrow = (yield from self._signature_deadline()), self.agreed.escrow
            data = dispute_data(escrow, reason_hash=hash_of_text(reason), deadline=deadline)
            signature = yield from sign(self.wallet, data)
            disputes = (yield from acting()).disputes
            yield from ask(
                disputes.open(self.agreed.order_id, reason=reason, signature=signature, deadline=deadline)
            )

        def check_relay() -> Flow[None]:
            disputes = (yield from acting()).disputes
            shown = yield from ask(disputes.get(self.agreed.order_id))
            failure = relay_failure(self.agreed.order_id, "dispute", shown)
            if failure is not None:
                raise failure

        return (yield from self._reach("disputed", act, check_relay))

    def refund(self) -> Flow[types.Order]:
        def act() -> Flow[None]:
            chain, escrow = self.payment.chain, self.agreed.escrow
            due = read_time(self.order["delivery_deadline"] or "")
            if chain is None or due is None or not isinstance(self.wallet, Sender):
                return
            if (yield from read_now(chain)) > due.timestamp():
                yield from send_call(chain, escrow.chain_id, self.wallet, refund_call(escrow))

        return (yield from self._reach("refunded", act))

    def _acting(self) -> Callable[[], Flow[Api]]:
        """Returns the source of the API for one action. A purchase without an account signs in first, once."""
        opened: list[Api] = []

        def open_once() -> Flow[Api]:
            if not opened:
                opened.append(self.api if self._act_as is None else (yield from self._act_as()))
            return opened[0]

        return open_once

    def _signature_deadline(self) -> Flow[int]:
        return (yield from read_now(self.payment.chain)) + _SIGNATURE_SECONDS

    def _reach(
        self,
        status: types.OrderStatus,
        act: Callable[[], Flow[None]],
        check_act: Callable[[], Flow[None]] | None = None,
    ) -> Flow[types.Order]:
        return (yield from self._reach_state(lambda order: order["status"] == status, status, act, check_act))

    def _reach_state(
        self,
        is_reached: Callable[[types.Order], bool],
        awaited: str,
        act: Callable[[], Flow[None]],
        check_act: Callable[[], Flow[None]] | None = None,
        is_early: Callable[[types.Order], bool] = lambda _: False,
    ) -> Flow[types.Order]:
        """Acts unless the order is there or it is too early, and waits for its state or for the failure of the act."""
        acted = False

        def check(order: types.Order) -> Flow[bool]:
            nonlocal acted
            if is_reached(order):
                return True
            if order["status"] in ENDED:
                raise OrderEndedError(order["id"], order["status"], awaited)
            if acted:
                if check_act is not None:
                    yield from check_act()
                return False
            if is_early(order):
                return False
            try:
                yield from act()
            except ApiError as error:
                # An equal act, of a run before a crash or of another process, may be pending.
                if error.code != "conflict":
                    raise
            acted = True
            return False

        return (yield from self._until(check))

    def _until(self, check: Callable[[types.Order], Flow[bool]]) -> Flow[types.Order]:
        """Reads the order until `check` returns a value."""

        def read() -> Flow[types.Order | None]:
            self.order = yield from ask(self.api.orders.get(self.order["id"]))
            return self.order if (yield from check(self.order)) else None

        return (yield from self.watch.until(read))
