"""The provider's end of sessions, without a service: its calls come from the buyer's end."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping

import httpx2
import pytest
from test_sessions import buyer, escrow_of, session_key, vectors

from earnest import DeclinedError, EarnestError
from earnest.buying.agreed import AgreedOrder
from earnest.sessions import (
    BalanceUsedError,
    CallLimits,
    CallRefusedError,
    CallVoucher,
    FileInUseError,
    Session,
    UntrustedSessionError,
    hash_of,
    work_hash_of,
)
from earnest.sessions.call_refusal import STATUS, Reply
from earnest.sessions.call_server import CallServer
from earnest.sessions.provider_session import ProviderSession
from earnest.sessions.session_terms import SessionTerms
from earnest.sessions.state import StateFile
from earnest.sessions.store import CallStore
from earnest.settlement import close_data, voucher_data
from earnest.settlement.typed_hash import hash_typed_data

AGREEMENT = {
    "pricing_model": "per_call",
    "unit_price_base_units": "1000",
    "endpoint_url": "https://calls.example",
    "session_key": vectors["session_key"]["x"],
    "token": {"decimals": 6},
}


class Provider:
    """An endpoint of one session, whose handler echoes."""

    def __init__(self, folder: Path, *, amount: int = 100_000, limits: CallLimits | None = None) -> None:
        self.folder, self.amount = folder, amount
        self.inputs: list[Any] = []
        self.errors: list[Exception] = []
        self.closed: list[ProviderSession] = []
        self.handle: Callable[[Any], Any] = lambda given: {"echo": given}
        self._limits = limits or CallLimits()
        self.start()

    def start(self, last_call_at: float = 9e9) -> None:
        self.store = CallStore(str(self.folder / "calls.db"))
        terms = SessionTerms.of(AgreedOrder("ord_1", AGREEMENT, escrow_of(self.amount)), 9e9)
        self.store.add(terms.escrow_id, "ord_1", AGREEMENT, 9e9)
        self.session = ProviderSession(terms, self.store, session_key, self.store.rows()[0])
        self.server = CallServer(
            self._handler,
            self._limits,
            find={terms.escrow_id: self.session}.get,
            on_unknown=lambda: None,
            last_call_at=lambda _: last_call_at,
            on_close=self.closed.append,
            on_error=lambda error, _: self.errors.append(error),
        )

    def _handler(self, given: Any, _: Any) -> Any:
        self.inputs.append(given)
        return self.handle(given)

    def send(self, request: httpx2.Request) -> httpx2.Response:
        reply = self.server.answer(dict(request.headers), lambda _: request.content)
        return httpx2.Response(reply.status, headers=dict(reply.headers), content=reply.body)

    def open(self, folder: Path) -> Session:
        agreed = AgreedOrder("ord_1", AGREEMENT, escrow_of(self.amount))
        http = httpx2.Client(transport=httpx2.MockTransport(self.send))
        file = StateFile(str(folder / "session.jsonl"))
        return Session(agreed=agreed, wallet=buyer, file=file, http=http, timeout=0.5)

    def post(self, headers: Mapping[str, str], body: bytes = b"1") -> Reply:
        named = {"earnest-session": escrow_of().escrow_id, "content-type": "application/json", **headers}
        return self.server.answer(named, lambda _: body)


def voucher_of(amount: int, body: bytes = b"1", signer: Any = buyer) -> CallVoucher:
    work = work_hash_of(escrow_of().escrow_id, amount, hash_of(body))
    data = voucher_data(escrow_of(), cumulative_amount=amount, work_hash=work)
    return CallVoucher(amount, work, signer.sign_typed_data(data))


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[Provider]:
    made = Provider(tmp_path)
    yield made
    made.store.close()


def test_both_ends_continue_after_a_restart(provider: Provider, tmp_path: Path) -> None:
    session = provider.open(tmp_path)
    assert session.call({"n": 1}).output == {"echo": {"n": 1}}
    provider.handle = lambda given: given
    assert session.call(b"bytes").output == b"bytes"
    provider.handle = lambda given: {"echo": given}
    with pytest.raises(FileInUseError):
        CallStore(str(tmp_path / "calls.db"))
    provider.store.close()
    provider.start()
    assert provider.session.earned == 2_000
    assert (tmp_path / "calls.db").stat().st_mode & 0o777 == 0o600
    assert session.call({"n": 3}).spent == 3_000
    last = session.repeat_last()
    assert last is not None
    assert last.output == {"echo": {"n": 3}}
    session.close()
    assert provider.closed == [provider.session]
    provider.store.close()
    provider.start()
    request = provider.session.close_request
    assert request is not None
    assert (provider.session.is_closing, request.provider_amount) == (True, 3_000)


def test_a_used_balance_is_topped_up_once(provider: Provider, tmp_path: Path) -> None:
    first, second = escrow_of(2_000), replace(escrow_of(2_000), escrow_id="0x" + "b2" * 32)
    held = {}
    for name, escrow in (("ord_1", first), ("ord_2", second)):
        terms = SessionTerms.of(AgreedOrder(name, AGREEMENT, escrow), 9e9)
        provider.store.add(terms.escrow_id, name, AGREEMENT, 9e9)
        held[terms.escrow_id] = ProviderSession(terms, provider.store, session_key, {})
    provider.server._find = held.get
    keys: list[str] = []

    def buy(key: str) -> AgreedOrder:
        keys.append(key)
        if len(keys) == 1:
            raise EarnestError("The service is gone.")
        return AgreedOrder("ord_2", AGREEMENT, second)

    file = StateFile(str(tmp_path / "session.jsonl"))
    file.write({"opening": "session-1", "order": "ord_1", "left": 1})
    http = httpx2.Client(transport=httpx2.MockTransport(provider.send))
    agreed = AgreedOrder("ord_1", AGREEMENT, first)
    session = Session(agreed=agreed, wallet=buyer, file=file, buy_next=buy, http=http, timeout=0.5)
    assert [session.call(number).spent for number in (1, 2)] == [1_000, 2_000]
    with pytest.raises(EarnestError, match="gone"):
        session.call(3)
    assert [session.call(number).spent for number in (3, 4)] == [1_000, 2_000]
    # The same key finds the order of the try before.
    assert (session.order_id, len(set(keys)), len(keys)) == ("ord_2", 1, 2)
    assert [one.terms.order_id for one in provider.closed] == ["ord_1"]
    with pytest.raises(BalanceUsedError):
        session.call(5)
    assert file.value["left"] == 0
    assert provider.inputs == [1, 2, 3, 4]


def test_vectors_are_answered(provider: Provider) -> None:
    for call in vectors["calls"]:
        amount = int(call["cumulative_amount"])
        data = voucher_data(escrow_of(), cumulative_amount=amount, work_hash=call["work_hash"])
        digest = hash_typed_data(data)
        assert "0x" + digest.hex() == call["voucher_digest"]
        assert provider.session.has_signed(digest, call["voucher_signature"])
        for last in ("00", "01", "1b", "1c"):
            other = call["voucher_signature"][:130] + last
            assert provider.session.in_contract_form(digest, other) == call["voucher_signature"]
        assert not provider.session.has_signed(digest[::-1], call["voucher_signature"])
    close = vectors["close"]
    amount, deadline = int(close["amount"]), int(close["deadline"])
    digest = hash_typed_data(close_data(escrow_of(), provider_amount=amount, deadline=deadline))
    assert provider.session.has_signed(digest, close["signature"])


def test_refusals_have_the_statuses_of_the_vectors() -> None:
    assert vectors["errors"] == STATUS


def test_an_equal_voucher_gets_the_stored_answer(provider: Provider) -> None:
    header = {"earnest-voucher": voucher_of(1_000).header()}
    first = provider.post(header)
    assert (first.status, first.body) == (200, b'{"echo": 1}')
    assert provider.post(header, b"") == first
    assert provider.inputs == [1]
    provider.session.close()
    # The chain shows the voucher to everybody now.
    assert provider.post(header, b"2").status == 422
    assert provider.post(header) == first


@pytest.mark.parametrize(
    ("headers", "body", "code"),
    [
        ({"earnest-session": "0x"}, b"", "malformed"),
        ({"earnest-session": "0x" + "11" * 32}, b"", "unknown_session"),
        ({"earnest-voucher": "1;2;3"}, b"", "malformed"),
        ({"earnest-voucher": voucher_of(1_000).header()}, b"2", "wrong_work_hash"),
        ({"earnest-voucher": voucher_of(1_000).header()[:-4] + "001b"}, b"1", "wrong_signature"),
        ({"earnest-voucher": voucher_of(2_000).header()}, b"1", "wrong_amount"),
        ({"earnest-voucher": voucher_of(1_000, b"{").header()}, b"{", "malformed"),
        ({"earnest-voucher": voucher_of(1_000, b"1" * 200).header()}, b"1" * 200, "input_too_large"),
        ({"earnest-close": "1;2;3"}, b"", "malformed"),
        ({"earnest-close": "0;99;0x" + "11" * 65}, b"", "wrong_signature"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_refused_call_is_not_worked_on(
    tmp_path: Path, headers: dict[str, str], body: bytes, code: str
) -> None:
    provider = Provider(tmp_path, limits=CallLimits(max_input=100))
    reply = provider.post(headers, body)
    error = json.loads(reply.body)["error"]
    assert (error["code"], provider.inputs, provider.session.earned) == (code, [], 0)
    if code == "wrong_amount":
        assert (error["expected_amount"], error["newest"]) == ("1000", None)
    provider.store.close()


def test_only_the_buyers_signature_lets_an_input_be_read(provider: Provider) -> None:
    headers = {"earnest-session": escrow_of().escrow_id, "content-type": "application/json"}
    forged = {**headers, "earnest-voucher": voucher_of(1_000).header()[:-4] + "001b"}

    def refuse(_: int) -> bytes:
        raise AssertionError("The input is read.")

    assert json.loads(provider.server.answer(forged, refuse).body)["error"]["code"] == "wrong_signature"
    signed = {**headers, "earnest-voucher": voucher_of(1_000).header()}
    gate, reading = threading.Event(), threading.Semaphore(0)

    def read(_: int) -> bytes:
        reading.release()
        gate.wait(10)
        return b"1"

    with ThreadPoolExecutor(8) as pool:
        held = [pool.submit(provider.server.answer, signed, read) for _ in range(8)]
        for _ in held:
            assert reading.acquire(timeout=10)
        assert json.loads(provider.server.answer(signed, refuse).body)["error"]["code"] == "busy"
        gate.set()
        assert {one.result().status for one in held} == {200}
    assert provider.inputs == [1]


def test_a_refused_voucher_is_no_lost_answer_after_a_restart(provider: Provider, tmp_path: Path) -> None:
    session = provider.open(tmp_path)
    provider.handle = lambda given: given / 0
    with pytest.raises(CallRefusedError):
        session.call(1)
    session.leave()
    provider.handle = lambda given: given
    # The provider answers the refused voucher for itself.
    assert provider.post({"earnest-voucher": voucher_of(1_000).header()}).status == 200
    again = provider.open(tmp_path)
    with pytest.raises(UntrustedSessionError):
        again.call("other")
    assert again.spent == 1_000


def test_the_balance_and_the_deadline_end_a_session(tmp_path: Path) -> None:
    provider = Provider(tmp_path, amount=1_000)
    session = provider.open(tmp_path)
    session.call(1)
    data = {"earnest-voucher": voucher_of(2_000).header()}
    assert json.loads(provider.post(data).body)["error"]["code"] == "balance_used"
    provider.store.close()
    provider.start(last_call_at=0.0)
    assert json.loads(provider.post(data).body)["error"]["code"] == "session_ended"
    assert provider.inputs == [1]
    provider.store.close()


def test_a_call_that_failed_is_not_charged(provider: Provider, tmp_path: Path) -> None:
    session = provider.open(tmp_path)

    def decline(_: Any) -> Any:
        raise DeclinedError("No word is known.")

    provider.handle = decline
    with pytest.raises(CallRefusedError, match=r"No word is known\. The call is not paid for"):
        session.call(1)
    provider.handle = lambda _: 1 / 0
    with pytest.raises(CallRefusedError, match="The handler failed"):
        session.call(2)
    provider.handle = lambda _: b"x" * 2_000_000
    with pytest.raises(CallRefusedError, match="too large"):
        session.call(3)
    assert [type(error).__name__ for error in provider.errors] == [
        "DeclinedError",
        "ZeroDivisionError",
        "ValueError",
    ]
    provider.handle = lambda given: given
    assert session.call(4).spent == 1_000


def test_an_answer_that_cannot_be_stored_is_asked_for_again(provider: Provider) -> None:
    provider.store.close()
    reply = provider.post({"earnest-voucher": voucher_of(1_000).header()})
    assert (reply.status, json.loads(reply.body)["error"]["code"]) == (429, "busy")
    assert (provider.session.earned, len(provider.errors)) == (0, 1)
    provider.start()
    assert provider.post({"earnest-voucher": voucher_of(1_000).header()}).status == 200


def test_calls_at_once_are_done_one_after_the_other(provider: Provider) -> None:
    begun, end = threading.Event(), threading.Event()

    def wait(given: Any) -> Any:
        begun.set()
        end.wait(10)
        return given

    provider.handle = wait
    same = {"earnest-voucher": voucher_of(1_000).header()}
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(provider.post, same)
        begun.wait(10)
        second = threads.submit(provider.post, same)
        other = provider.post({"earnest-voucher": voucher_of(1_000, b"2").header()}, b"2")
        assert json.loads(other.body)["error"]["code"] == "call_in_progress"
        assert other.headers["retry-after"] == "1"
        end.set()
        assert first.result() == second.result()
    assert provider.inputs == [1]
    # The buyer counts a call that the provider answered meanwhile.
    late = json.loads(provider.post({"earnest-voucher": voucher_of(1_000, b"2").header()}, b"2").body)[
        "error"
    ]
    assert late["code"] == "wrong_amount"
    assert late["newest"]["cumulative_amount"] == "1000"


def test_a_call_that_never_ends_is_given_up_by_a_session_that_closes(provider: Provider) -> None:
    begun, end = threading.Event(), threading.Event()

    def hang(given: Any) -> Any:
        begun.set()
        end.wait(10)
        return given

    assert provider.post({"earnest-voucher": voucher_of(1_000).header()}).status == 200
    provider.handle = hang
    with ThreadPoolExecutor(1) as threads:
        hung = threads.submit(provider.post, {"earnest-voucher": voucher_of(2_000).header()})
        begun.wait(10)
        provider.session.close()
        assert provider.session.awaits_call(9e9)
        provider.session.closing_at -= 301
        assert not provider.session.awaits_call(9e9)
        end.set()
        assert json.loads(hung.result().body)["error"]["code"] == "session_ended"
    assert provider.session.earned == int(provider.store.rows()[0]["amount"]) == 1_000


def test_servers_of_wsgi_and_asgi_run_it(provider: Provider) -> None:
    headers = {"earnest-session": escrow_of().escrow_id, "content-type": "application/json"}
    url = "http://calls.example/"
    with httpx2.Client(transport=httpx2.WSGITransport(app=provider.server.wsgi)) as http:
        voucher = {"earnest-voucher": voucher_of(1_000).header()}
        answer = http.post(url, headers={**headers, **voucher}, content=b"1")
        assert (answer.status_code, answer.json()) == (200, {"echo": 1})
        assert base64.urlsafe_b64decode(answer.headers["earnest-statement"] + "==")
        large = {"earnest-voucher": voucher_of(2_000, b"1").header()}
        refused = http.post(url, headers={**headers, **large}, content=b"1" * 2_000_000)
        assert refused.status_code == 413

    async def call() -> Any:
        transport = httpx2.ASGITransport(app=provider.server.asgi)
        async with httpx2.AsyncClient(transport=transport) as http:
            voucher = {"earnest-voucher": voucher_of(2_000, b"2").header()}
            return await http.post(url, headers={**headers, **voucher}, content=b"2")

    answer = asyncio.run(call())
    assert (answer.status_code, answer.json()) == (200, {"echo": 2})
