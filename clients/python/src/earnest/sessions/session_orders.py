"""The orders of a service of sessions, as its provider follows them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Callable

from .._core.call import OMITTED
from .._core.retry import is_temporary
from .._core.times import read_time
from .._generated import types
from ..buying.agreed import AgreedOrder, read_agreed
from ..buying.market import Markets, UntrustedOrderError, find_market
from ..serving.funded import check_funded
from ..wallet import Wallet

if TYPE_CHECKING:
    from ..client import Earnest

_TYPES: list[types.EventType] = ["order.funded", "order.released", "order.refunded"]
_QUIET, _HURRIED = 5.0, 0.5
"""Seconds between two reads of the feed: while nobody asks, and if somebody calls an unknown session."""


class SessionOrders:
    """Follows the orders of one service. An unknown session hurries the next read of the feed, so any number of calls to
    unknown sessions costs two reads a second at most."""

    def __init__(
        self,
        client: Earnest,
        service_id: str,
        wallet: Wallet,
        market: Markets,
        *,
        stopping: threading.Event,
        on_open: Callable[[AgreedOrder, float], None],
        on_end: Callable[[str], None],
        on_error: Callable[[Exception, str], None],
    ) -> None:
        """
        Args:
            on_open: gets a funded order with its delivery deadline
            on_end: gets the escrow of an order that ended
        """
        self._client, self._service_id, self._wallet, self._market = client, service_id, wallet, market
        self._stopping, self._on_open, self._on_end, self._on_error = stopping, on_open, on_end, on_error
        self._woken = threading.Event()

    def read_feed_now(self) -> None:
        """Reads the feed sooner."""
        self._woken.set()

    def start(self) -> str | None:
        """Lists the open orders. Returns the cursor of the feed from before the list."""
        cursor, more = None, True
        while more:
            page = self._client.events.list(cursor=cursor or OMITTED, type=_TYPES, limit=100)
            cursor, more = page["next_cursor"], page["has_more"]
        for order in self._client.orders.list_received(status="funded", service=self._service_id, limit=100):
            self._open(order["id"])
        return cursor

    def follow(self, cursor: str | None) -> None:
        """Reads the feed until the run stops."""
        while not self._stopping.is_set():
            try:
                page = self._client.events.list(cursor=cursor or OMITTED, type=_TYPES, limit=100)
                for event in page["items"]:
                    data: Any = event["data"]
                    if data.get("order", {}).get("service_id") == self._service_id:
                        self._take(event["type"], data["order"]["id"])
                cursor = page["next_cursor"]
                if page["has_more"]:
                    continue
            except Exception as error:
                if self._stopping.is_set():
                    return
                self._on_error(error, "")
            self._woken.clear()
            self._stopping.wait(_HURRIED)
            self._woken.wait(_QUIET - _HURRIED)

    def _take(self, kind: str, order_id: str) -> None:
        if kind == "order.funded":
            self._open(order_id)
        else:
            self._on_end(self._client.orders.get(order_id)["escrow"]["escrow_id"].lower())

    def _open(self, order_id: str) -> None:
        try:
            order = self._client.orders.get(order_id)
            if order["pricing_model"] != "per_call":
                return
            agreed = read_agreed(order_id, order, self._client.orders.get_agreement(order_id))
            run, stopping = self._client._transport.run, self._stopping.is_set
            run(check_funded(agreed, self._wallet, self._market, stopping))
            due = read_time(order["delivery_deadline"] or "")
            if due is None:
                found = order["delivery_deadline"]
                raise UntrustedOrderError(order_id, "order.delivery_deadline", "a time", found)
            ends_at = due.timestamp()
            chain = run(find_market(self._market, agreed.escrow.chain_id)).chain
            if chain is not None:
                # The chain's deadline counts: after it, vouchers may be worth nothing.
                state = run(chain.read_state(agreed.escrow))
                ends_at = float(state.funded_at + agreed.escrow.terms.delivery_window)
            self._on_open(agreed, ends_at)
        except Exception as error:
            if self._stopping.is_set() or is_temporary(error):
                raise
            self._on_error(error, order_id)
