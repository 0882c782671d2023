"""The sessions of one service at their provider."""

from __future__ import annotations

import logging
import os
import threading
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Callable

from .._core.exact import to_base_units
from .._core.retry import is_temporary
from ..buying.agreed import AgreedOrder
from ..buying.market import Markets
from ..settlement import derive_deposit
from ..wallet import Wallet
from .call_server import CallHandler, CallLimits, CallServer
from .close_steps import CloseSteps
from .due_closes import USUAL_IDLE, DueCloses
from .provider_session import ProviderSession
from .session_key import public_text_of, read_key
from .session_orders import SessionOrders
from .session_terms import SessionTerms
from .store import CallStore

if TYPE_CHECKING:
    from ..client import Earnest

logger = logging.getLogger("earnest")

_RETRY_SECONDS = 5.0
"""Seconds between two attempts to reach the service."""


class ServedCalls:
    """A running endpoint. `wsgi` and `asgi` are applications."""

    def __init__(
        self,
        client: Earnest,
        handler: CallHandler,
        *,
        agent: str,
        service: str,
        per_call: str | Decimal,
        wallet: Wallet,
        market: Markets,
        folder: str,
        margin: float | None,
        idle: float,
        limits: CallLimits,
        on_error: Callable[[Exception, str], None] | None,
    ) -> None:
        self._key = read_key(folder)
        self._per_call, self._on_error = per_call, on_error
        self._store = CallStore(os.path.join(folder, "calls.db"))
        self._sessions: dict[str, ProviderSession] = {}
        self._stopping = threading.Event()
        self._closes = DueCloses(
            self._sessions,
            CloseSteps(client, wallet, market),
            margin=margin,
            idle=idle,
            stopping=self._stopping,
            forget=self._forget,
            on_error=self._report_error,
        )
        self._orders: SessionOrders | None = None
        server = CallServer(
            handler,
            limits,
            find=self._sessions.get,
            on_unknown=lambda: self._orders.read_feed_now() if self._orders else None,
            last_call_at=self._closes.last_call_at,
            on_close=self._closes.close_soon,
            on_error=self._report_error,
        )
        self.answer, self.wsgi, self.asgi = server.answer, server.wsgi, server.asgi
        for row in self._store.rows():
            agreed = AgreedOrder(row["order_id"], row["agreement"], derive_deposit(row["agreement"]))
            self._add_session(SessionTerms.of(agreed, row["ends_at"]), row)
        closing = threading.Thread(target=self._closes.run, name="earnest-closing", daemon=True)
        self._threads = [closing]
        closing.start()
        try:
            self._follow_with_retries(client, agent, service, wallet, market)
        except BaseException:
            self.stop()
            raise

    def close_all(self) -> None:
        """Closes all sessions that are open, for example before the service ends."""
        self._closes.close_all()

    def stop(self) -> None:
        """Stops without closing sessions. The next run continues them."""
        self._stopping.set()
        if self._orders is not None:
            self._orders.read_feed_now()
        for thread in self._threads:
            thread.join()
        self._store.close()

    def __enter__(self) -> ServedCalls:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _follow_with_retries(
        self, client: Earnest, agent: str, service: str, wallet: Wallet, market: Markets
    ) -> None:
        """Follows the service's orders once the service answers. Vouchers that are due are paid meanwhile."""
        not_listed_yet = set(self._sessions)

        def open_session(agreed: AgreedOrder, ends_at: float) -> None:
            terms = SessionTerms.of(agreed, ends_at)
            not_listed_yet.discard(terms.escrow_id)
            if terms.escrow_id not in self._sessions:
                self._accept(terms)
                self._store.add(terms.escrow_id, terms.order_id, dict(agreed.agreement), ends_at)
                self._add_session(terms, {})

        while True:
            try:
                service_id = client.services.get(agent, service)["id"]
                orders = SessionOrders(
                    client,
                    service_id,
                    wallet,
                    market,
                    stopping=self._stopping,
                    on_open=open_session,
                    # The service's word is not enough to forget a voucher: the next step reads the chain.
                    on_end=self._close_named,
                    on_error=self._report_error,
                )
                cursor = orders.start()
                break
            except Exception as error:
                # The vouchers of the file are paid, whatever the service answers.
                if self._stopping.is_set() or (not is_temporary(error) and not self._sessions):
                    raise
                self._report_error(error, "")
                self._stopping.wait(_RETRY_SECONDS)
        # A session of the file that is not among the open ones is closed, so its end is checked.
        for escrow_id in not_listed_yet:
            self._close_named(escrow_id)
        self._orders = orders
        follower = threading.Thread(target=lambda: orders.follow(cursor), name="earnest-feed", daemon=True)
        self._threads.append(follower)
        follower.start()

    def _accept(self, terms: SessionTerms) -> None:
        key = public_text_of(self._key)
        if terms.session_key != key:
            raise ValueError(f"The agreement has the session key {terms.session_key}, not {key}.")
        if terms.price < to_base_units(self._per_call, terms.decimals):
            raise ValueError(f"The session pays less than {self._per_call} for a call.")

    def _add_session(self, terms: SessionTerms, row: Any) -> None:
        session = ProviderSession(terms, self._store, self._key, row)
        self._sessions[terms.escrow_id] = session
        if session.is_closing:
            self._closes.close_soon(session)

    def _close_named(self, escrow_id: str) -> None:
        session = self._sessions.get(escrow_id)
        if session is not None:
            self._closes.close_soon(session)

    def _forget(self, escrow_id: str) -> None:
        del self._sessions[escrow_id]
        self._store.remove(escrow_id)

    def _report_error(self, error: Exception, order_id: str) -> None:
        on_error = self._on_error
        logger.warning("%s: %s", order_id or "sessions", error, exc_info=error if on_error is None else None)
        if on_error is not None:
            with suppress(Exception):
                on_error(error, order_id)


def serve_calls(
    client: Earnest,
    handler: CallHandler,
    *,
    agent: str,
    service: str,
    per_call: str | Decimal,
    wallet: Wallet,
    market: Markets,
    folder: str,
    margin: float | None = None,
    idle: float = USUAL_IDLE,
    limits: CallLimits | None = None,
    on_error: Callable[[Exception, str], None] | None = None,
) -> ServedCalls:
    """Serves the sessions of one `per_call` service: answers their calls, and closes them when the buyer asks, when they are
    idle, and before their deadline.

    Each answered call is on the disk before its answer is given, so a crash loses none. If the service refuses a voucher, or
    is gone, the wallet sends it by the node before the deadline, and needs a little native coin. The key of the client needs
    `orders:read`, `orders:write` and `webhooks:read`.

    Args:
        agent: The slug of the agent; `service` is that of its service.
        per_call: The least price of a call, a decimal of the session's token such as `"0.001"`. Cheaper sessions are refused.
        wallet: The agent's payout wallet, which signs the close.
        market: With a node, the chain is checked for the money of each session.
        folder: The folder of the sessions' file and of the key. One process uses it at a time.
        margin: Seconds before a session's deadline in which it takes no calls and is closed. Default: a tenth of its time,
            at most an hour.
        idle: Seconds without a call after which a session is closed.
        on_error: A callback for errors, with the id of the order. Default: the error is logged.

    Raises:
        FileInUseError: another process uses the folder

    Example:
        with serve_calls(earnest, lambda given, call: {"words": len(given["text"].split())}, **options) as calls:
            make_server("", 8080, calls.wsgi).serve_forever()
    """
    return ServedCalls(
        client,
        handler,
        agent=agent,
        service=service,
        per_call=per_call,
        wallet=wallet,
        market=market,
        folder=folder,
        margin=margin,
        idle=idle,
        limits=limits or CallLimits(),
        on_error=on_error,
    )
