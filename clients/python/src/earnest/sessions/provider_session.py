"""A session at its provider."""

from __future__ import annotations

import base64
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from typing import Any, Callable, Mapping

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ..settlement import voucher_data
from ..settlement.typed_hash import hash_typed_data
from .buyer_key import BuyerKey
from .call_refusal import CallRefusal, Reply
from .rules import STATEMENT_HEADER, CallVoucher, CloseRequest, hash_of, statement_of, work_hash_of
from .session_terms import SessionTerms
from .store import CallStore

_LONGEST_WAIT = 30.0
"""The most seconds that a request waits for the answer of a call at work. The same request then waits again."""
_LONGEST_CALL = 300.0
"""The most seconds that a closing session waits for its call at work."""
_MOST_REQUESTS = 8
"""The most signed requests of a session at once. A buyer sends one, and sends it again if it gets no answer."""


@dataclass(frozen=True)
class Output:
    body: bytes
    content_type: str


class _Running:
    """A call at work."""

    def __init__(self, voucher: CallVoucher) -> None:
        self.voucher = voucher
        self.reply: Future[Reply] = Future()


class ProviderSession:
    """Answers the calls of one session, one after the other. It is safe to share between threads."""

    def __init__(
        self, terms: SessionTerms, store: CallStore, key: Ed25519PrivateKey, row: Mapping[str, Any]
    ) -> None:
        """
        Args:
            row: the session in the store; empty for a new one
        """
        self.terms, self._store, self._key = terms, store, key
        self._buyer = BuyerKey(terms.escrow.terms.buyer)
        self._turn = threading.Lock()
        self._running: _Running | None = None
        self._requests = 0
        self.newest: CallVoucher | None = None
        """The newest answered voucher, which pays all calls."""
        if row.get("work"):
            self.newest = CallVoucher(int(row["amount"]), row["work"], row["signature"])
        self.close_request: CloseRequest | None = None
        """The buyer's signed wish to close, which ends the session with the provider's signature."""
        if row.get("close_signature"):
            request = CloseRequest(
                int(row["close_amount"]), int(row["close_deadline"]), row["close_signature"]
            )
            self.close_request = request
        self.is_closing = bool(row.get("closing"))
        self.closing_at = self.closed_at = self.used_at = time.time()
        """Unix seconds of the end of calls, of the wish to close and of the last call, or of this run's start."""

    @property
    def earned(self) -> int:
        """The base units of the answered calls."""
        return self.newest.cumulative_amount if self.newest else 0

    @property
    def is_busy(self) -> bool:
        return self._running is not None

    def awaits_call(self, until: float) -> bool:
        """Whether a closing session still waits for its call at work, whose voucher is newer than the one that is kept.
        A call that takes too long is given up: its answer is not given, and its voucher not used.

        Args:
            until: Unix seconds until which there is time to wait
        """
        with self._turn:
            is_waiting = self._running is not None and time.time() < min(
                until, self.closing_at + _LONGEST_CALL
            )
            if not is_waiting:
                self._running = None
        return is_waiting

    def answer(
        self,
        voucher: CallVoucher,
        read_input: Callable[[], bytes],
        work: Callable[[bytes], Output],
        last_call_at: float,
    ) -> Reply:
        """Answers a call: the stored answer for the newest voucher again, or the answer of the work.

        Raises:
            CallRefusal: the call is not paid for
        """
        # Once the session closes, the chain shows everybody the newest voucher. From then on only the input proves the buyer.
        if not self.is_closing and _is_same(voucher, self.newest):
            return self._stored_reply()
        # The signature comes before the input: the chain shows each session's id, and nobody else may occupy the endpoint by it.
        if not self._buyer.has_signed(self.digest_of(voucher), voucher.signature):
            raise CallRefusal(
                "wrong_signature",
                f"The voucher is not signed by the key of {self.terms.escrow.terms.buyer}. "
                "A contract wallet cannot be the buyer of a session.",
            )
        with self._turn:
            if self._requests >= _MOST_REQUESTS:
                message = "Too many requests of this session are at work. Send the call again."
                raise CallRefusal("busy", message)
            self._requests += 1
        self.used_at = time.time()
        try:
            return self._answer_signed(voucher, read_input(), work, last_call_at)
        finally:
            with self._turn:
                self._requests -= 1

    def _answer_signed(
        self, voucher: CallVoucher, body: bytes, work: Callable[[bytes], Output], last_call_at: float
    ) -> Reply:
        """Answers a call that the buyer signed."""
        if voucher.work_hash != work_hash_of(self.terms.escrow_id, voucher.cumulative_amount, hash_of(body)):
            message = "The work hash is not the SHA-256 of this session, amount and input."
            raise CallRefusal("wrong_work_hash", message)
        with self._turn:
            running, is_mine = self._running, False
            if running is None or not _is_same(voucher, running.voucher):
                if _is_same(voucher, self.newest):
                    return self._stored_reply()
                self._require_next(voucher.cumulative_amount, last_call_at)
                running, is_mine = _Running(voucher), True
                self._running = running
        if is_mine:
            self._run(running, body, work)
        try:
            return running.reply.result(_LONGEST_WAIT)
        except FutureTimeoutError as error:
            message = "The call is still at work. Send it again to get its answer."
            raise CallRefusal("call_in_progress", message) from error

    def close(self, request: CloseRequest | None = None) -> None:
        """Takes no more calls, also after a restart. A call at work is still answered.

        Args:
            request: the buyer's signed wish; the first one is kept
        """
        with self._turn:
            is_known, self.is_closing = self.is_closing, True
            if not is_known:
                self.closing_at = time.time()
        columns: dict[str, Any] = {} if is_known else {"closing": 1}
        if request is not None and self.close_request is None:
            columns |= {"close_amount": str(request.provider_amount), "close_deadline": str(request.deadline)}
            columns |= {"close_signature": request.signature}
            self.close_request, self.closed_at = request, time.time()
        if columns:
            self._store.update(self.terms.escrow_id, **columns)

    def digest_of(self, voucher: CallVoucher) -> bytes:
        """The hash that the voucher's signature is made over."""
        amount, work = voucher.cumulative_amount, voucher.work_hash
        return hash_typed_data(voucher_data(self.terms.escrow, cumulative_amount=amount, work_hash=work))

    def has_signed(self, digest: bytes, signature: str) -> bool:
        """Whether the buyer's key signed."""
        return self._buyer.has_signed(digest, signature)

    def in_contract_form(self, digest: bytes, signature: str) -> str:
        return self._buyer.in_contract_form(digest, signature)

    def newest_facts(self) -> dict[str, str] | None:
        """The newest voucher as a refusal shows it."""
        if self.newest is None:
            return None
        amount, work = str(self.newest.cumulative_amount), self.newest.work_hash
        return {"cumulative_amount": amount, "work_hash": work, "signature": self.newest.signature}

    def _require_next(self, amount: int, last_call_at: float) -> None:
        if self.is_closing or time.time() > last_call_at:
            message = "The session takes no more calls: it closes, or its deadline is near."
            raise CallRefusal("session_ended", message)
        if self._running is not None:
            message = "Another call of this session is at work. Send calls one after the other."
            raise CallRefusal("call_in_progress", message)
        expected = self.earned + self.terms.price
        if amount != expected:
            raise CallRefusal(
                "wrong_amount",
                f"The voucher's amount has to be {expected} base units.",
                expected_amount=str(expected),
                newest=self.newest_facts(),
            )
        if amount > self.terms.balance:
            message = f"The balance of {self.terms.balance} base units pays no more calls."
            raise CallRefusal("balance_used", message)

    def _run(self, running: _Running, body: bytes, work: Callable[[bytes], Output]) -> None:
        """Does the work, and gives the result to all requests that wait for it."""
        try:
            output = work(body)
            # In the turn, so that a close never misses an answer that is given.
            with self._turn:
                if self._running is not running:
                    raise CallRefusal("session_ended", "The session ended before the answer.")
                reply = self._keep(running.voucher, output)
                self.newest, self._running = running.voucher, None
        except BaseException as error:
            with self._turn:
                if self._running is running:
                    self._running = None
            running.reply.set_exception(error)
            return
        running.reply.set_result(reply)

    def _keep(self, voucher: CallVoucher, output: Output) -> Reply:
        amount, work_hash = voucher.cumulative_amount, voucher.work_hash
        text = statement_of(self.terms.escrow_id, amount, work_hash, hash_of(output.body))
        statement = base64.urlsafe_b64encode(self._key.sign(text)).decode().rstrip("=")
        try:
            self._store.update(
                self.terms.escrow_id,
                amount=str(amount),
                work=work_hash,
                signature=voucher.signature,
                output=output.body,
                type=output.content_type,
                statement=statement,
            )
        except Exception as error:
            # The write may have reached the disk, so the buyer must not use the amount for another call.
            message = "The answer cannot be stored, so it is not given. Send the call again."
            raise CallRefusal("busy", message) from error
        return _reply_of(output.body, output.content_type, statement)

    def _stored_reply(self) -> Reply:
        return _reply_of(*self._store.answer_of(self.terms.escrow_id))


def _reply_of(body: bytes, content_type: str, statement: str) -> Reply:
    return Reply(200, {"content-type": content_type, STATEMENT_HEADER: statement}, body)


def _is_same(one: CallVoucher, other: CallVoucher | None) -> bool:
    """Whether two vouchers are the same. The last byte of a signature has two forms."""
    return (
        other is not None
        and (one.cumulative_amount, one.work_hash) == (other.cumulative_amount, other.work_hash)
        and one.signature[:130] == other.signature[:130]
    )
