from __future__ import annotations

import base64
import hashlib
import json
import os
import socket
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any
from wsgiref.simple_server import make_server

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from eth_account import Account
from eth_account.messages import encode_typed_data
from vectors import read_vectors

from earnest import LocalWallet, UntrustedOrderError
from earnest.buying.agreed import AgreedOrder
from earnest.sessions import (
    BalanceUsedError,
    CallRefusedError,
    CallUnansweredError,
    FileInUseError,
    Session,
    UntrustedSessionError,
    hash_of,
    public_transport,
    read_voucher,
    statement_of,
    work_hash_of,
)
from earnest.sessions.public_transport import PublicTransport, is_private_host
from earnest.sessions.session_terms import SessionTerms
from earnest.sessions.state import StateFile
from earnest.settlement import VOUCHERS_ONLY, DerivedDeposit, Terms, close_data, voucher_data

vectors = read_vectors("protocol/sessions/vectors.json")
ZERO = "0x" + "00" * 20
buyer = LocalWallet(vectors["buyer"]["private_key"])
session_key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(vectors["session_key"]["seed"]))


def escrow_of(amount: int = 100_000) -> DerivedDeposit:
    named = vectors["escrow"]
    terms = Terms(
        buyer=buyer.address,
        provider=ZERO,
        token=ZERO,
        amount=amount,
        fund_by=0,
        delivery_window=0,
        acceptance_window=VOUCHERS_ONLY,
        dispute_window=0,
        appeal_window=0,
        arbiter=ZERO,
        order_hash="0x" + "00" * 32,
    )
    return DerivedDeposit(named["chainId"], named["escrowContract"], terms, named["escrowId"], ZERO, ZERO)


@pytest.mark.parametrize("call", vectors["calls"], ids=lambda call: call["cumulative_amount"])
def test_vectors(call: dict[str, str]) -> None:
    escrow, amount = escrow_of(), int(call["cumulative_amount"])
    assert hash_of(call["input"].encode()) == call["input_hash"]
    work = work_hash_of(escrow.escrow_id, amount, call["input_hash"])
    assert work == call["work_hash"]
    data = voucher_data(escrow, cumulative_amount=amount, work_hash=work)
    assert buyer.sign_typed_data(data) == call["voucher_signature"]
    voucher = read_voucher(call["voucher_header"])
    assert voucher is not None
    assert voucher.header() == call["voucher_header"]
    statement = statement_of(escrow.escrow_id, amount, work, call["output_hash"])
    assert statement.decode() == call["statement"]
    signed = base64.urlsafe_b64encode(session_key.sign(statement)).decode().rstrip("=")
    assert signed == call["statement_signature"]


def test_close_vector() -> None:
    close = vectors["close"]
    data = close_data(escrow_of(), provider_amount=int(close["amount"]), deadline=int(close["deadline"]))
    assert buyer.sign_typed_data(data) == close["signature"]


class Provider:
    """A provider by the rules of docs/sessions.md, with faults on demand."""

    def __init__(self) -> None:
        self.amount, self.newest, self.answer = 0, "", b""
        self.inputs: list[bytes] = []
        self.fault = ""
        self.closed: list[str] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        close = request.headers.get("earnest-close", "")
        if close:
            self.closed.append(close)
            return httpx2.Response(202, json={"status": "closing"})
        header = request.headers["earnest-voucher"]
        voucher = read_voucher(header)
        assert voucher is not None
        if header != self.newest:
            if voucher.cumulative_amount != self.amount + 1_000:
                newest = read_voucher(self.newest)
                shown = newest and {**newest.__dict__, "cumulative_amount": str(newest.cumulative_amount)}
                return self._refuse(409, "wrong_amount", newest=shown)
            data = voucher_data(
                escrow_of(), cumulative_amount=voucher.cumulative_amount, work_hash=voucher.work_hash
            )
            signer = Account.recover_message(
                encode_typed_data(full_message=data), signature=voucher.signature
            )
            assert signer == buyer.address
            self.inputs.append(request.content)
            if self.fault == "fails":
                return self._refuse(500, "handler_failed")
            self.amount, self.newest = voucher.cumulative_amount, header
            self.answer = json.dumps({"echo": json.loads(request.content)}).encode()
        if self.fault == "lost":
            raise httpx2.ReadError("lost")
        text = statement_of(
            escrow_of().escrow_id, voucher.cumulative_amount, voucher.work_hash, hash_of(self.answer)
        )
        if self.fault == "lies":
            text += b"!"
        statement = base64.urlsafe_b64encode(session_key.sign(text)).decode().rstrip("=")
        headers = {"content-type": "application/json", "earnest-statement": statement}
        return httpx2.Response(200, content=self.answer, headers=headers)

    def _refuse(self, status: int, code: str, **facts: Any) -> httpx2.Response:
        return httpx2.Response(status, json={"error": {"code": code, "message": code, **facts}})


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "session.jsonl")


def open_at(path: str, provider: Provider, *, amount: int = 100_000) -> Session:
    agreement = {
        "pricing_model": "per_call",
        "unit_price_base_units": "1000",
        "endpoint_url": "https://calls.example",
        "session_key": vectors["session_key"]["x"],
    }
    agreed = AgreedOrder("ord_1", agreement, escrow_of(amount))
    http = httpx2.Client(transport=httpx2.MockTransport(provider))
    return Session(agreed=agreed, wallet=buyer, file=StateFile(path), http=http, timeout=0.5)


def test_calls_pay_their_price_and_a_run_continues(path: str, provider: Provider) -> None:
    session = open_at(path, provider, amount=3_000)
    assert session.call({"n": 1}).output == {"echo": {"n": 1}}
    assert session.call({"n": 2}).spent == 2_000
    session.leave()
    assert os.stat(path).st_mode & 0o777 == 0o600
    again = open_at(path, provider, amount=3_000)
    last = again.repeat_last()
    assert last is not None
    assert last.output == {"echo": {"n": 2}}
    assert again.call({"n": 3}).spent == 3_000
    with pytest.raises(BalanceUsedError):
        again.call({"n": 4})
    again.close()
    assert provider.closed[0].startswith("3000;")


def test_nothing_is_sent_to_a_private_network(path: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        port = server.getsockname()[1]
        for name in ("localhost", "127.0.0.1", "[::ffff:127.0.0.1]"):
            agreement = {
                "pricing_model": "per_call",
                "unit_price_base_units": "1000",
                "endpoint_url": f"http://{name}:{port}/calls",
                "session_key": vectors["session_key"]["x"],
            }
            agreed, http = (
                AgreedOrder("ord_1", agreement, escrow_of()),
                httpx2.Client(transport=PublicTransport()),
            )
            session = Session(agreed=agreed, wallet=buyer, file=StateFile(path), http=http)
            with pytest.raises(CallUnansweredError, match="is in a private network"):
                session.call(1)
            session.leave()
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_checked_address_gets_the_requests_of_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(environ: Any, start: Any) -> list[bytes]:
        start("200 OK", [])
        return [environ["HTTP_HOST"].encode()]

    monkeypatch.setattr(public_transport, "_is_public", lambda _: True)
    with make_server("127.0.0.1", 0, answer) as server, httpx2.Client(transport=PublicTransport()) as http:
        threading.Thread(target=server.handle_request, daemon=True).start()
        name = f"localhost:{server.server_port}"
        assert http.post(f"http://{name}/calls").text == name


def test_hosts_of_private_networks_are_known() -> None:
    private = ["localhost", "10.0.0.1", "169.254.169.254", "::1", "[fe80::1]", "::ffff:10.0.0.1", "intranet"]
    assert [host for host in private if not is_private_host(host)] == []
    assert not any(map(is_private_host, ["words.example", "8.8.8.8", "2606:4700::1111"]))


def test_a_lost_answer_is_asked_for_first(path: str, provider: Provider) -> None:
    session = open_at(path, provider)
    provider.fault = "lost"
    with pytest.raises(CallUnansweredError):
        session.call("paid")
    session.leave()
    provider.fault = ""
    again = open_at(path, provider)
    assert again.call("paid").spent == 1_000
    assert again.call("next").spent == 2_000
    assert provider.inputs == [b'"paid"', b'"next"']


def test_a_refused_call_is_not_charged(path: str, provider: Provider) -> None:
    session = open_at(path, provider)
    provider.fault = "fails"
    with pytest.raises(CallRefusedError):
        session.call("bad")
    provider.fault = ""
    assert session.call("good").spent == 1_000


def test_a_wrong_statement_stops_the_session(path: str, provider: Provider) -> None:
    session = open_at(path, provider)
    provider.fault = "lies"
    for _ in range(2):
        with pytest.raises(UntrustedSessionError):
            session.call("one")
    assert (session.spent, len(provider.inputs)) == (1_000, 1)


def test_a_provider_that_counts_a_refused_call_is_stopped(path: str, provider: Provider) -> None:
    session = open_at(path, provider)
    provider.fault = "fails"
    with pytest.raises(CallRefusedError):
        session.call("refused")
    provider.amount = 1_000
    for _ in range(2):
        with pytest.raises(UntrustedSessionError):
            session.call("other")


def test_a_lost_file_continues_by_the_newest_voucher(path: str, provider: Provider) -> None:
    session = open_at(path, provider)
    session.call(1)
    session.call(2)
    session.leave()
    os.remove(path)
    assert open_at(path, provider).call(3).spent == 3_000


def test_a_session_that_more_than_vouchers_pay_is_refused_by_both_ends(path: str) -> None:
    agreement = {"pricing_model": "per_call", "unit_price_base_units": "1000", "token": {"decimals": 6}}
    escrow = escrow_of()
    paid_by_a_record = replace(escrow, terms=replace(escrow.terms, acceptance_window=VOUCHERS_ONLY - 1))
    agreed = AgreedOrder("ord_1", agreement, paid_by_a_record)
    with pytest.raises(UntrustedOrderError, match="acceptance_window_seconds"):
        Session(agreed=agreed, wallet=buyer, file=StateFile(path))
    with pytest.raises(UntrustedOrderError, match="acceptance_window_seconds"):
        SessionTerms.of(agreed, 9e9)


def test_a_file_has_one_user_and_drops_a_cut_line(path: str) -> None:
    file = StateFile(path)
    file.write({"amount": "1"})
    with pytest.raises(FileInUseError):
        StateFile(path)
    file.close()
    with open(path, "ab") as end:
        end.write(b'{"amount": "2')
    again = StateFile(path)
    assert again.value == {"amount": "1"}
    large = hashlib.sha256(b"").hexdigest() * 4_000
    for number in range(10):
        again.write({"amount": str(number), "filler": large})
    assert os.stat(path).st_size < 1_500_000
    again.close()
    assert StateFile(path).value["amount"] == "9"
