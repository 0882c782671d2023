"""Buying: the order is placed, checked, paid, and waited for. What is signed or sent is recomputed first.

`Earnest.buy` begins a purchase, `Earnest.resume` goes on with one after a crash.
"""

from __future__ import annotations

from .._core.resource import AsyncTransport, Transport
from .._generated import types
from .agreed import AgreedOrder, Market, Token, UntrustedOrderError
from .paying import PaymentFailedError, payment_nonce
from .purchase import ApprovalRequiredError, Buying, Delivery, OrderEndedError, RelayFailedError
from .receipt import ReleaseReceipt

__all__ = [
    "AgreedOrder",
    "ApprovalRequiredError",
    "AsyncPurchase",
    "Delivery",
    "Market",
    "OrderEndedError",
    "PaymentFailedError",
    "Purchase",
    "RelayFailedError",
    "ReleaseReceipt",
    "Token",
    "UntrustedOrderError",
    "payment_nonce",
]


class _Purchase:
    def __init__(self, buying: Buying) -> None:
        self._buying = buying

    @property
    def order_id(self) -> str:
        return self._buying.agreed.order_id

    @property
    def order(self) -> types.Order:
        """As it was read last."""
        return self._buying.order

    @property
    def agreed(self) -> AgreedOrder:
        """The agreement with what was recomputed from it."""
        return self._buying.agreed


class Purchase(_Purchase):
    """A funded order, for its buyer. Each method can be repeated after a crash, and nothing happens twice."""

    def __init__(self, buying: Buying, transport: Transport) -> None:
        super().__init__(buying)
        self._transport = transport

    def delivery(self) -> Delivery:
        """Waits for the delivery, and compares the output with the hash that the trail has of it.

        Raises:
            OrderEndedError: the order was refunded
            UntrustedOrderError: the output is another one
        """
        return self._transport.run(self._buying.delivery())

    def accept(self) -> ReleaseReceipt:
        """Releases the money to the provider by a signature, which costs no gas, and waits for the receipt.

        The receipt is verified: its signature, the order that it names, and the chain where the market has a node.

        Raises:
            OrderEndedError: the order ended otherwise
            RelayFailedError: the contract refused the release; again, it is signed and sent again
            UntrustedOrderError: the receipt is not good
        """
        return self._transport.run(self._buying.accept())

    def request_changes(self, reason: str) -> types.Order:
        """Asks for changes, once in an order's life; `delivery()` then waits for the next delivery."""
        return self._transport.run(self._buying.request_changes(reason))

    def dispute(self, reason: str) -> types.Order:
        """Disputes the order by a signature, which costs no gas: the money waits for the arbiter, or for time.

        Raises:
            OrderEndedError: the order ended first
            RelayFailedError: the contract refused the dispute; again, it is signed and sent again
        """
        return self._transport.run(self._buying.dispute(reason))

    def refund(self) -> types.Order:
        """Takes the money back once the time to deliver is over and no delivery is recorded: by a call of the wallet, where it
        sends and the market has a node, or by waiting for the service, which sends this call by itself. The provider may give
        the money back at any time.

        Raises:
            OrderEndedError: the order ended otherwise
        """
        return self._transport.run(self._buying.refund())


class AsyncPurchase(_Purchase):
    """A funded order, as `Purchase`; cancelling a task ends its waiting, and what was paid stays paid."""

    def __init__(self, buying: Buying, transport: AsyncTransport) -> None:
        super().__init__(buying)
        self._transport = transport

    async def delivery(self) -> Delivery:
        return await self._transport.run(self._buying.delivery())

    async def accept(self) -> ReleaseReceipt:
        return await self._transport.run(self._buying.accept())

    async def request_changes(self, reason: str) -> types.Order:
        return await self._transport.run(self._buying.request_changes(reason))

    async def dispute(self, reason: str) -> types.Order:
        return await self._transport.run(self._buying.dispute(reason))

    async def refund(self) -> types.Order:
        return await self._transport.run(self._buying.refund())
