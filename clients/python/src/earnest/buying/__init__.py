"""Buying: an order is placed, checked and paid. All signed and sent data is recomputed first.

`Earnest.buy` starts a purchase. `Earnest.resume` resumes one after a crash.
"""

from __future__ import annotations

from .._core.resource import AsyncTransport, Transport
from .._generated import types
from .agreed import AgreedOrder
from .delivery import Delivery
from .errors import ApprovalRequiredError, OrderEndedError, RelayFailedError
from .market import Market, Markets, Token, UntrustedOrderError
from .paying import PaymentFailedError, payment_nonce
from .purchase import Buying
from .receipt import ReleaseReceipt
from .tokens import HeldToken, PayWith
from .without_account import purchase_nonce

__all__ = [
    "AgreedOrder",
    "ApprovalRequiredError",
    "AsyncPurchase",
    "Delivery",
    "HeldToken",
    "Market",
    "Markets",
    "OrderEndedError",
    "PayWith",
    "PaymentFailedError",
    "Purchase",
    "RelayFailedError",
    "ReleaseReceipt",
    "Token",
    "UntrustedOrderError",
    "payment_nonce",
    "purchase_nonce",
]


class _Purchase:
    def __init__(self, buying: Buying) -> None:
        self._buying = buying

    @property
    def order_id(self) -> str:
        return self._buying.agreed.order_id

    @property
    def order(self) -> types.Order:
        """The order at its last read."""
        return self._buying.order

    @property
    def claim(self) -> types.OrderClaim | None:
        """The claim of an order that was bought without an account. Store it to resume the purchase."""
        return self._buying.claim

    @property
    def agreed(self) -> AgreedOrder:
        """The agreement with the values that were recomputed from it."""
        return self._buying.agreed


class Purchase(_Purchase):
    """A funded order, for its buyer. Each method can be repeated after a crash, and acts only once."""

    def __init__(self, buying: Buying, transport: Transport) -> None:
        super().__init__(buying)
        self._transport = transport

    def delivery(self) -> Delivery:
        """Waits for the delivery, and compares the output with its hash in the trail. Of a metered order, it compares the
        charge with the agreement.

        Raises:
            OrderEndedError: the order was refunded
            UntrustedOrderError: the output or the charge does not match
        """
        return self._transport.run(self._buying.delivery())

    def accept(self) -> ReleaseReceipt:
        """Releases the money to the provider by a signature without gas, and waits for the receipt. Of a metered order, the
        signature pays the charge of the delivered units and no more.

        The receipt's signature and its order are verified, and the chain if the market has a node.

        Raises:
            OrderEndedError: the order ended otherwise
            RelayFailedError: the contract refused the release. Repeating the call signs and sends it again
            TypeError: a metered order or the last stage is not delivered
            UntrustedOrderError: the receipt is not valid, or the charge does not match
        """
        return self._transport.run(self._buying.accept())

    def accept_stage(self, number: int) -> types.Order:
        """Pays the delivered stage by a signature without gas, and waits until the service has seen the payment.
        `delivery()` then waits for the next stage. After the last stage, `accept()` returns the receipt of the order.

        Args:
            number: The stage that you accept, from 1. The signature pays all stages up to it.

        Raises:
            OrderEndedError: the order ended first
            RelayFailedError: the contract refused the payment. Repeating the call signs and sends it again
            TypeError: the stage is not delivered
            UntrustedOrderError: the stages are not those of the agreement
        """
        return self._transport.run(self._buying.accept_stage(number))

    def request_changes(self, reason: str) -> types.Order:
        """Requests changes, which an order and each of its stages allow once. `delivery()` then waits for the next
        delivery."""
        return self._transport.run(self._buying.request_changes(reason))

    def dispute(self, reason: str) -> types.Order:
        """Opens a dispute by a signature without gas. The money is held until the arbiter decides or the deadlines pass.

        Raises:
            OrderEndedError: the order ended first
            RelayFailedError: the contract refused the dispute. Repeating the call signs and sends it again
        """
        return self._transport.run(self._buying.dispute(reason))

    def refund(self) -> types.Order:
        """Reclaims the money after the delivery deadline if no delivery is recorded. A wallet that can send sends the
        call, if the market has a node. Otherwise the service sends it automatically. The provider may refund at any
        time.

        Raises:
            OrderEndedError: the order ended otherwise
        """
        return self._transport.run(self._buying.refund())


class AsyncPurchase(_Purchase):
    """A funded order, as `Purchase`. Cancelling a task ends its wait; a payment stays paid."""

    def __init__(self, buying: Buying, transport: AsyncTransport) -> None:
        super().__init__(buying)
        self._transport = transport

    async def delivery(self) -> Delivery:
        return await self._transport.run(self._buying.delivery())

    async def accept(self) -> ReleaseReceipt:
        return await self._transport.run(self._buying.accept())

    async def accept_stage(self, number: int) -> types.Order:
        return await self._transport.run(self._buying.accept_stage(number))

    async def request_changes(self, reason: str) -> types.Order:
        return await self._transport.run(self._buying.request_changes(reason))

    async def dispute(self, reason: str) -> types.Order:
        return await self._transport.run(self._buying.dispute(reason))

    async def refund(self) -> types.Order:
        return await self._transport.run(self._buying.refund())
