"""A session at its buyer."""

from __future__ import annotations

import base64
import json
import threading
import time
import uuid
from contextlib import suppress
from typing import Any, Callable, Mapping

import httpx2

from ..buying.agreed import AgreedOrder
from ..errors import EarnestError
from ..settlement import close_data, voucher_data
from ..wallet import Wallet
from .call_sender import CallAnswer, CallSender, WrongAmount
from .errors import BalanceUsedError, CallRefusedError, UntrustedSessionError
from .rules import (
    CLOSE_HEADER,
    VOUCHER_HEADER,
    CallVoucher,
    CloseRequest,
    hash_of,
    work_hash_of,
)
from .session_terms import require_session
from .state import StateFile

__all__ = ["CallAnswer", "Session"]

_DAY = 86_400


class Session:
    """A balance at a provider. Each call pays its price by a voucher, and no transaction.

    The voucher is kept before it is sent. If its answer is lost, for example by a crash, the next call first asks for that
    answer. So nothing is paid twice.
    """

    def __init__(
        self,
        *,
        agreed: AgreedOrder,
        wallet: Wallet,
        file: StateFile,
        buy_next: Callable[[str], AgreedOrder] | None = None,
        http: httpx2.Client | None = None,
        timeout: float = 120.0,
    ) -> None:
        """
        Args:
            buy_next: buys a further balance under a key
        """
        self._wallet, self._file, self._timeout, self._buy_next = wallet, file, timeout, buy_next
        self._http = http or httpx2.Client(follow_redirects=False)
        self._turn = threading.Lock()
        self._use(agreed)

    def _use(self, agreed: AgreedOrder) -> None:
        """Takes the balance of an order for the next calls."""
        require_session(agreed)
        self.order_id, self._escrow = agreed.order_id, agreed.escrow
        agreement, escrow = agreed.agreement, agreed.escrow
        self._escrow_id = escrow.escrow_id.lower()
        self._price = int(agreement["unit_price_base_units"])
        self._sender = CallSender(agreed, self._http, self._timeout)
        self._is_fresh = "amount" not in self._file.value

    @property
    def spent(self) -> int:
        """The base units of the answered calls."""
        return int(self._file.value.get("amount", "0"))

    @property
    def balance(self) -> int:
        return self._escrow.terms.amount

    @property
    def pays_one_more(self) -> bool:
        """Whether the balance pays one more call."""
        return self.spent + self._price <= self.balance

    def call(self, input_payload: Any, *, content_type: str | None = None) -> CallAnswer:
        """Calls the provider. Calls of several threads are sent one after the other.

        Args:
            input_payload: Bytes are sent as they are, anything else as JSON.

        Raises:
            CallRefusedError: the call is not charged
            CallUnansweredError: the next call asks for this call's answer first
            UntrustedSessionError: the provider broke the rules
            BalanceUsedError: the balance pays no more calls
        """
        if isinstance(input_payload, bytes):
            body, kind = input_payload, content_type or "application/octet-stream"
        else:
            body, kind = json.dumps(input_payload).encode(), content_type or "application/json"
        with self._turn:
            finished = self._finish_pending()
            if finished is not None and finished[0] == body:
                return finished[1]
            return self._call(body, kind)

    def repeat_last(self) -> CallAnswer | None:
        """Gets the newest answer again, at no cost; None before the first."""
        with self._turn:
            self._finish_pending()
            state = self._file.value
            if not state.get("voucher"):
                return None
            return self._sender.send(self.spent, state["work"], {VOUCHER_HEADER: state["voucher"]}, b"")

    def close(self) -> None:
        """Asks the provider to take what the calls cost and to give the rest back, and frees the file."""
        with self._turn:
            self._finish_pending()
            self._close()
            # The next run with this file opens a session of its own.
            opening = ("opening", "order", "left")
            self._file.write({name: kept for name, kept in self._file.value.items() if name not in opening})
        self.leave()

    def leave(self) -> None:
        """Frees the file without closing the session, which the same file continues later."""
        self._file.close()

    def _close(self) -> None:
        deadline = int(time.time()) + _DAY
        data = close_data(self._escrow, provider_amount=self.spent, deadline=deadline)
        signature = self._wallet.sign_typed_data(data).lower()
        header = CloseRequest(self.spent, deadline, signature).header()
        self._sender.send(self.spent, "", {CLOSE_HEADER: header}, b"")

    def _top_up(self) -> None:
        """Opens the next balance.

        Raises:
            BalanceUsedError: no further balance may be opened
        """
        state = self._file.value
        left = int(state.get("left", 0))
        if self._buy_next is None or left < 1:
            raise BalanceUsedError(self.order_id)
        # The key is kept before the order is placed, so that a crash in between finds the order again.
        key = state.get("next") or f"session-{uuid.uuid4()}"
        self._file.write({**state, "next": key})
        agreed = self._buy_next(key)
        # The provider ends a used session by itself, too, so a lost request costs nobody anything.
        with suppress(EarnestError):
            self._close()
        self._file.write({"opening": key, "order": agreed.order_id, "left": left - 1})
        self._use(agreed)

    def _call(self, body: bytes, kind: str) -> CallAnswer:
        state = self._file.value
        if state.get("stopped"):
            raise UntrustedSessionError(self.order_id, state["stopped"])
        if not self.pays_one_more:
            self._top_up()
            state = self._file.value
        amount = self.spent + self._price
        work = work_hash_of(self._escrow_id, amount, hash_of(body))
        data = voucher_data(self._escrow, cumulative_amount=amount, work_hash=work)
        signature = self._wallet.sign_typed_data(data).lower()
        if len(signature) != 132:
            raise TypeError(
                "A session needs the signatures of a plain key. A contract wallet cannot be its buyer."
            )
        voucher = CallVoucher(amount, work, signature).header()
        text = base64.b64encode(body).decode()
        pending = {"amount": str(amount), "work": work, "voucher": voucher, "input": text, "type": kind}
        self._file.write({**state, "pending": pending})
        return self._finish(pending, body)

    def _finish_pending(self) -> tuple[bytes, CallAnswer] | None:
        """Gets the answer of a call that an earlier run, or an earlier try, did not get."""
        pending = self._file.value.get("pending")
        if pending is None:
            return None
        body = base64.b64decode(pending["input"])
        try:
            return body, self._finish(pending, body)
        except CallRefusedError:
            return None

    def _finish(self, pending: Mapping[str, str], body: bytes) -> CallAnswer:
        headers = {"content-type": pending["type"], VOUCHER_HEADER: pending["voucher"]}
        kept = {name: pending[name] for name in ("amount", "work", "voucher")}
        try:
            answer = self._sender.send(int(pending["amount"]), pending["work"], headers, body)
        except UntrustedSessionError as error:
            # The provider has the voucher, so its amount counts as spent.
            self._keep({**kept, "stopped": error.reason})
            raise
        except WrongAmount as refusal:
            return self._resume(pending, body, refusal)
        except CallRefusedError:
            # The amount is kept, even if it is 0: after a restart it shows that the file was not lost. The provider then cannot
            # present the refused voucher as that of an answered call.
            known = {name: value for name, value in self._file.value.items() if name != "pending"}
            self._keep({"amount": str(self.spent), **known})
            raise
        self._keep(kept)
        return answer

    def _resume(self, pending: Mapping[str, str], body: bytes, refusal: WrongAmount) -> CallAnswer:
        """Continues after a lost file by the newest voucher, which only the buyer can have signed."""
        newest, amount = refusal.newest, int(pending["amount"])
        is_own = newest is not None and self._is_own(newest)
        is_unknown = newest is not None and newest.work_hash != pending["work"]
        if self._is_fresh and newest and is_own and is_unknown and newest.cumulative_amount >= amount:
            kept = {"amount": str(newest.cumulative_amount), "work": newest.work_hash}
            self._keep({**kept, "voucher": newest.header()})
            return self._call(body, pending["type"])
        reason = "The provider counts other calls than those that it answered."
        self._keep({"amount": pending["amount"], "stopped": reason})
        raise UntrustedSessionError(self.order_id, reason)

    def _is_own(self, voucher: CallVoucher) -> bool:
        data = voucher_data(
            self._escrow, cumulative_amount=voucher.cumulative_amount, work_hash=voucher.work_hash
        )
        # A plain key signs a text always alike (RFC 6979).
        return self._wallet.sign_typed_data(data).lower() == voucher.signature

    def _keep(self, state: dict[str, Any]) -> None:
        self._is_fresh = False
        opened: dict[str, Any] = {
            name: self._file.value[name] for name in ("opening", "order", "left") if name in self._file.value
        }
        self._file.write({**opened, **state})
