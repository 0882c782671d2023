"""The sessions of one service at their provider."""

from __future__ import annotations

import base64
import logging
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Callable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from .._core.exact import to_base_units
from .._core.retry import is_temporary
from ..buying.agreed import AgreedOrder
from ..buying.market import Markets
from ..settlement import derive_deposit
from ..wallet import Wallet
from .closing import Closer
from .endpoint import CallHandler, CallLimits, Endpoint
from .held import HeldSession, HeldTerms
from .orders import SessionOrders
from .store import CallStore

if TYPE_CHECKING:
    from ..client import Earnest

logger = logging.getLogger("earnest")

_CHECK_SECONDS = 1.0
"""Seconds between two checks of the sessions that have to be closed."""
_MOST_AT_ONCE = 8
"""The most sessions that take a step to their end at once."""
_DAY, _HOUR = 86_400.0, 3_600.0


def session_key_of(folder: str) -> str:
    """Returns the public key of a folder's session key, for the service's `session_key`. Makes the key if there is none."""
    return _public_text_of(_read_key(folder))


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
        self._key = _read_key(folder)
        self._per_call, self._margin, self._idle, self._on_error = per_call, margin, idle, on_error
        self._store = CallStore(os.path.join(folder, "calls.db"))
        self._closer = Closer(client, wallet, market)
        self._sessions: dict[str, HeldSession] = {}
        self._closing: dict[str, float] = {}
        """The sessions that take steps to their end, with the time of the next step."""
        self._stopping = threading.Event()
        self._closing_pool = ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="earnest-closing")
        self._orders: SessionOrders | None = None
        endpoint = Endpoint(
            handler,
            limits,
            find=self._sessions.get,
            on_unknown=lambda: self._orders.read_feed_now() if self._orders else None,
            last_call_at=self._last_call_at,
            on_close=self._close_soon,
            on_error=self._report_error,
        )
        self.answer, self.wsgi, self.asgi = endpoint.answer, endpoint.wsgi, endpoint.asgi
        for row in self._store.rows():
            agreed = AgreedOrder(row["order_id"], row["agreement"], derive_deposit(row["agreement"]))
            self._add_session(HeldTerms.of(agreed, row["ends_at"]), row)
        closing = threading.Thread(target=self._close_due, name="earnest-closing", daemon=True)
        self._threads = [closing]
        closing.start()
        try:
            self._follow_with_retries(client, agent, service, wallet, market)
        except BaseException:
            self.stop()
            raise

    def close_all(self) -> None:
        """Closes all sessions that are open, for example before the service ends."""
        for session in list(self._sessions.values()):
            self._close_soon(session)
        while self._closing and not self._stopping.is_set():
            self._stopping.wait(_CHECK_SECONDS / 4)

    def stop(self) -> None:
        """Stops without closing sessions. The next run continues them."""
        self._stopping.set()
        if self._orders is not None:
            self._orders.read_feed_now()
        for thread in self._threads:
            thread.join()
        self._closing_pool.shutdown()
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
            terms = HeldTerms.of(agreed, ends_at)
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
                self._stopping.wait(5 * _CHECK_SECONDS)
        # A session of the file that is not among the open ones is closed, so its end is checked.
        for escrow_id in not_listed_yet:
            self._close_named(escrow_id)
        self._orders = orders
        follower = threading.Thread(target=lambda: orders.follow(cursor), name="earnest-feed", daemon=True)
        self._threads.append(follower)
        follower.start()

    def _accept(self, terms: HeldTerms) -> None:
        key = _public_text_of(self._key)
        if terms.session_key != key:
            raise ValueError(f"The agreement has the session key {terms.session_key}, not {key}.")
        if terms.price < to_base_units(self._per_call, terms.decimals):
            raise ValueError(f"The session pays less than {self._per_call} for a call.")

    def _add_session(self, terms: HeldTerms, row: Any) -> None:
        session = HeldSession(terms, self._store, self._key, row)
        self._sessions[terms.escrow_id] = session
        if session.is_closing:
            self._closing[terms.escrow_id] = 0.0

    def _last_call_at(self, session: HeldSession) -> float:
        window = session.terms.escrow.terms.delivery_window
        margin = min(_HOUR, window / 10) if self._margin is None else self._margin
        return session.terms.ends_at - margin

    def _close_named(self, escrow_id: str) -> None:
        session = self._sessions.get(escrow_id)
        if session is not None:
            self._close_soon(session)

    def _close_soon(self, session: HeldSession) -> None:
        self._closing.setdefault(session.terms.escrow_id, time.time())

    def _close_due(self) -> None:
        while not self._stopping.is_set():
            now = time.time()
            for session in list(self._sessions.values()):
                if now > self._last_call_at(session) or now > session.used_at + self._idle:
                    self._close_soon(session)
            # The longest due first, so that sessions that cannot end leave steps to the others.
            due = sorted((at, escrow_id) for escrow_id, at in list(self._closing.items()) if at <= now)
            list(
                self._closing_pool.map(
                    self._close_further, [escrow_id for _, escrow_id in due[:_MOST_AT_ONCE]]
                )
            )
            self._stopping.wait(_CHECK_SECONDS)

    def _close_further(self, escrow_id: str) -> None:
        session, wait = self._sessions[escrow_id], 2 * _CHECK_SECONDS
        try:
            session.close()
            # Half of the time without calls is for the service, and half for the provider's own wallet.
            pay_alone_at = (self._last_call_at(session) + session.terms.ends_at) / 2
            if not session.awaits_call(pay_alone_at) and self._closer.step(session, pay_alone_at):
                del self._sessions[escrow_id], self._closing[escrow_id]
                self._store.remove(escrow_id)
                return
        except Exception as error:
            if self._stopping.is_set():
                return
            wait = 10 * _CHECK_SECONDS
            self._report_error(error, session.terms.order_id)
        self._closing[escrow_id] = time.time() + wait

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
    idle: float = _DAY,
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


def _public_text_of(key: Ed25519PrivateKey) -> str:
    """Returns the public key in base64url without padding."""
    return base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).decode().rstrip("=")


def _read_key(folder: str) -> Ed25519PrivateKey:
    path = os.path.join(folder, "session-key.pem")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    # Another process may make the key at the same time: the first one counts.
    with suppress(FileExistsError):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        made = Ed25519PrivateKey.generate()
        with os.fdopen(file, "wb") as new:
            new.write(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
            new.flush()
            os.fsync(new.fileno())
    with open(path, "rb") as kept:
        key = load_pem_private_key(kept.read(), None)
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError(f"{path} is no Ed25519 key.")
    return key
