"""Sessions at a real service, with providers in Python and in TypeScript."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from test_life import rpc_url, wait_until
from test_service import url
from trading import Member, balance, join, join_with_service, market

from earnest import ApiError, OrderEndedError
from earnest.sessions import ServedCalls, open_session, serve_calls, session_key_of

root = Path(__file__).resolve().parents[3]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        return


def sell_calls(provider: Member, agent: str, port: int, folder: str) -> Any:
    provider.client.services.create(
        agent,
        slug="double",
        title="Twice a number",
        pricing_model="per_call",
        price="0.001",
        delivery_time_hours=1,
        max_quantity=1_000,
        session={"endpoint_url": f"http://localhost:{port}/calls", "session_key": session_key_of(folder)},
    )
    return provider.client.services.publish(agent, "double")


@contextmanager
def serving(provider: Member, service: Any, port: int, folder: str, **options: Any) -> Iterator[ServedCalls]:
    with serve_calls(
        provider.client,
        lambda given, _: {"twice": 2 * given["number"]},
        agent=service["agent"]["slug"],
        service="double",
        per_call="0.001",
        wallet=provider.wallet,
        market=market(),
        folder=folder,
        **options,
    ) as calls:
        server = make_server("127.0.0.1", port, calls.wsgi, handler_class=Quiet)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield calls
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def open_at(buyer: Member, service: Any, file: Path) -> Any:
    return open_session(
        buyer.client,
        service,
        wallet=buyer.wallet,
        market=market(),
        calls=100,
        max_amount="0.10",
        file=str(file),
    )


def wait_for_end(buyer: Member, order_id: str) -> None:
    wait_until(lambda: buyer.client.orders.get(order_id)["status"] == "released")


def test_a_session_ends_by_both_signatures_and_continues_after_a_restart(tmp_path: Path) -> None:
    (provider, offered), buyer = join_with_service(), join()
    port, folder, before = free_port(), str(tmp_path / "sessions"), balance(buyer.wallet.address)
    earned = balance(provider.wallet.address)
    service = sell_calls(provider, offered["agent"]["slug"], port, folder)
    with serving(provider, service, port, folder):
        session = open_at(buyer, service, tmp_path / "session.jsonl")
        for number in (1, 2):
            assert session.call({"number": number}).output == {"twice": 2 * number}
        session.leave()
    with serving(provider, service, port, folder):
        session = open_at(buyer, service, tmp_path / "session.jsonl")
        assert session.call({"number": 3}).spent == 3_000
        session.close()
        wait_for_end(buyer, session.order_id)
    assert balance(buyer.wallet.address) == before - 3_000
    assert balance(provider.wallet.address) == earned + 3_000
    assert "Close" in provider.wallet.signed
    again = open_at(buyer, service, tmp_path / "session.jsonl")
    assert (again.order_id != session.order_id, again.spent) == (True, 0)
    again.leave()


def test_the_provider_closes_alone_and_its_wallet_pays_what_the_service_does_not(tmp_path: Path) -> None:
    (provider, offered), buyer = join_with_service(), join()
    port, folder, earned = free_port(), str(tmp_path / "sessions"), balance(provider.wallet.address)
    service = sell_calls(provider, offered["agent"]["slug"], port, folder)
    with serving(provider, service, port, folder):
        session = open_at(buyer, service, tmp_path / "session.jsonl")
        session.call({"number": 1})
        session.leave()

    # The deadline is so near that the provider's wallet pays by itself.
    with serving(provider, service, port, folder, margin=2 * 3_600) as calls:
        wait_until(lambda: "transaction" in provider.wallet.signed)
        wait_until(lambda: balance(provider.wallet.address) == earned + 1_000)
        wait_for_end(buyer, session.order_id)
        calls.close_all()
    with pytest.raises(OrderEndedError, match="another file"):
        open_at(buyer, service, tmp_path / "session.jsonl")
    assert provider.wallet.signed[-2:] == ["transaction", "Refund"]


def test_buys_calls_of_a_provider_in_typescript(tmp_path: Path) -> None:
    (provider, offered), buyer = join_with_service(), join()
    port, folder = free_port(), str(tmp_path / "sessions")
    service = sell_calls(provider, offered["agent"]["slug"], port, folder)
    program = "clients/typescript/test/session-provider.fixture.ts"
    given = {"BASE_URL": url, "TOKEN": provider.token, "WALLET_KEY": provider.wallet.key, "RPC_URL": rpc_url}
    given |= {"AGENT": service["agent"]["slug"], "FOLDER": folder, "ENDPOINT_PORT": str(port)}
    node = str(root / "node_modules/.bin/node")
    served = subprocess.Popen(
        [node, program], cwd=root, env={**os.environ, **given}, stdout=subprocess.DEVNULL
    )
    try:
        session = open_at(buyer, service, tmp_path / "session.jsonl")
        for number in (1, 2, 3):
            assert session.call({"number": number}).output == {"twice": 2 * number}
        session.close()
        wait_for_end(buyer, session.order_id)
    finally:
        served.send_signal(signal.SIGTERM)
        served.wait()


def test_the_service_refuses_a_dispute_of_a_session(tmp_path: Path) -> None:
    (provider, offered), buyer = join_with_service(), join()
    port, folder = free_port(), str(tmp_path / "sessions")
    service = sell_calls(provider, offered["agent"]["slug"], port, folder)
    session = open_at(buyer, service, tmp_path / "session.jsonl")
    purchase = buyer.client.resume(session.order_id, wallet=buyer.wallet, market=market())
    with pytest.raises(ApiError, match="A session has no disputes") as refused:
        purchase.dispute("The answers are wrong.")
    assert refused.value.code == "invalid_state"
    session.leave()
