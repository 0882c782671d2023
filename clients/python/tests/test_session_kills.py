"""Both ends of a session are killed at random, and started again: each call is answered once, at exactly its price."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from programs import Program, Tell
from test_session_provider import AGREEMENT, Provider
from test_sessions import buyer, escrow_of

from earnest.buying.agreed import AgreedOrder
from earnest.sessions import CallUnansweredError, Session
from earnest.sessions.state import StateFile

CALLS = 60


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        return


def serve(_: Tell, *, folder: str) -> None:
    place = Path(folder)
    provider = Provider(place)

    def double(given: int) -> int:
        time.sleep(0.02 + 0.04 * random.random())
        with open(place / "handled", "a") as handled:
            handled.write(f"{given}\n")
        return 2 * given

    provider.handle = double
    with make_server(
        "127.0.0.1", int((place / "port").read_text()), provider.server.wsgi, handler_class=Quiet
    ) as server:
        server.serve_forever()


def call(tell: Tell, *, folder: str) -> None:
    place = Path(folder)
    agreement = {**AGREEMENT, "endpoint_url": f"http://127.0.0.1:{(place / 'port').read_text()}/calls"}
    agreed, file = AgreedOrder("ord_1", agreement, escrow_of()), StateFile(str(place / "session.jsonl"))
    session = Session(agreed=agreed, wallet=buyer, file=file, timeout=30)
    answers = place / "answers"
    number = len(answers.read_text().split()) if answers.exists() else 0
    # The last run may have got an answer that it did not keep.
    if session.spent > 1_000 * number:
        last = session.repeat_last()
        assert last is not None
        number = keep(answers, number, last.output)
    while number < CALLS:
        try:
            number = keep(answers, number, session.call(number + 1).output)
        except CallUnansweredError:
            continue
    session.leave()
    tell("done")


def keep(answers: Path, number: int, output: int) -> int:
    assert output == 2 * (number + 1)
    with open(answers, "a") as file:
        file.write(f"{output}\n")
    return number + 1


def test_calls_cost_exactly_their_price_though_both_ends_are_killed(tmp_path: Path) -> None:
    with make_server("127.0.0.1", 0, lambda *_: []) as free:
        (tmp_path / "port").write_text(str(free.server_port))

    def start(end: str) -> Program:
        return Program({"provider": serve, "buyer": call}[end], folder=str(tmp_path))

    ends, kills, until = {"provider": start("provider"), "buyer": start("buyer")}, 0, time.monotonic() + 60
    while True:
        time.sleep(1 + random.random())
        if ends["buyer"].is_over() or time.monotonic() > until:
            break
        end = random.choice(list(ends))
        ends[end].kill()
        kills += 1
        ends[end] = start(end)
    assert ends["buyer"].end() == ["done"]
    ends["provider"].kill()

    answers = [int(line) for line in (tmp_path / "answers").read_text().split()]
    assert answers == [2 * number for number in range(1, CALLS + 1)]
    restarted = Provider(tmp_path)
    assert restarted.session.earned == 1_000 * CALLS
    restarted.store.close()
    # A handler runs again only for a call that a kill interrupted.
    assert len((tmp_path / "handled").read_text().split()) - CALLS <= kills
