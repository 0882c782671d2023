"""Opens a session: buys its balance, or continues the session of a file."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2

from ..buying.agreed import AgreedOrder
from ..buying.errors import OrderEndedError
from ..buying.market import Markets
from ..buying.tokens import PayWith
from ..wallet import Wallet
from .buyer_session import Session
from .public_transport import PublicTransport, is_private_host
from .state import StateFile

if TYPE_CHECKING:
    from .._generated import types
    from ..client import Earnest


def open_session(
    client: Earnest,
    service: types.ListedService,
    *,
    wallet: Wallet,
    market: Markets,
    calls: int,
    file: str,
    max_amount: str | Decimal | None = None,
    pay_with: PayWith = None,
    rail: types.SettlementRail = "x402",
    arbiter: str | None = None,
    top_ups: int = 0,
    timeout: float = 120.0,
    allow_private: bool | None = None,
) -> Session:
    """Opens a session of a `per_call` service: places the order of its balance, compares it like `buy`, pays it, and waits
    until it is funded. The same file continues a session that is open, and opens a new one after `close`.

    Args:
        calls: The calls that the balance pays, the most that the session can cost.
        top_ups: The further balances that may be opened once one is used, each for as many calls.
        file: The file that keeps the session, for one process at a time.
        timeout: The most seconds until a call is answered, over all attempts.
        allow_private: Whether the provider's endpoint may be in a private network, such as localhost. Otherwise no request
            goes there, and no proxy of the environment is used. Default: only if the service itself is there.

    Raises:
        FileInUseError: another process uses the file
        OrderEndedError: the provider or time ended the file's session
        UntrustedOrderError: as `buy`, before anything is signed

    Example:
        session = open_session(earnest, service, wallet=wallet, market=market, calls=1000, file="session.jsonl")
        answer = session.call({"text": "Guten Tag"})
        session.close()
    """

    def buy(key: str) -> AgreedOrder:
        return client.buy(
            service,
            None,
            wallet=wallet,
            market=market,
            max_amount=max_amount,
            pay_with=pay_with,
            rail=rail,
            quantity=calls,
            arbiter=arbiter,
            key=key,
        ).agreed

    if allow_private is None:
        allow_private = is_private_host(urlsplit(client._transport.core.root).hostname or "")
    http = httpx2.Client(follow_redirects=False, transport=None if allow_private else PublicTransport())
    kept = StateFile(file)
    try:
        if "opening" not in kept.value:
            kept.write({"opening": f"session-{uuid.uuid4()}", "left": top_ups})
        order_id = kept.value.get("order")
        if order_id is None:
            status, agreed = "funded", buy(kept.value["opening"])
            kept.write({**kept.value, "order": agreed.order_id})
        else:
            purchase = client.resume(
                order_id, wallet=wallet, market=market, max_amount=max_amount, pay_with=pay_with
            )
            agreed, status = purchase.agreed, purchase.order["status"]
        session = Session(agreed=agreed, wallet=wallet, file=kept, buy_next=buy, http=http, timeout=timeout)
        # A used balance may be followed by the next one. In another ended session, each call would wait for an answer in vain.
        if order_id is not None and session.pays_one_more and status in ("released", "refunded"):
            raise OrderEndedError(order_id, status, "called again: open another session with another file")
        return session
    except BaseException:
        kept.close()
        raise
