"""A service that has one order of the vectors, and keeps what is posted."""

from __future__ import annotations

import threading
from typing import Any

from flaky import Answer, FlakyServer, Seen, refusal
from vectors import read_vectors

from earnest import LocalWallet, Market, PaymentToken

vectors = read_vectors("clients/scenarios/client-vectors.json")
wallet = LocalWallet(vectors["failed_release"]["wallet"])


class OneOrder:
    def __init__(self, server: FlakyServer, case: Any, **change: Any) -> None:
        """
        Args:
            case: `metered` or `staged` of the vectors
            change: other members of the shown order
        """
        self.case = case
        self.order: dict[str, Any] = {**case["order"], **change}
        self.posted: dict[str, Any] = {}
        self.trail = [{"type": "order.delivered", "data": {"output_hash": case["output_hash"]}}]
        self.stop = threading.Event()
        self._path = f"/api/v1/orders/{self.order['id']}"
        server.otherwise = self.answer

    def answer(self, seen: Seen) -> Answer:
        path = self._path
        if seen.method == "POST":
            return self.post(seen.path.removeprefix(path), seen.body)
        listed = [self.order] if seen.query.get("status") == [self.order["status"]] else []
        is_sent = "/release" in self.posted
        event = {"id": "evt_1", "type": "order.delivered", "data": {"order": {"id": self.order["id"]}}}
        answers = {
            path: self.order,
            f"{path}/agreement": self.case["agreement"],
            f"{path}/events": {"items": self.trail, "has_more": False, "next_cursor": None},
            f"{path}/release": vectors["failed_release"]["failed"] if is_sent else {"relay": None},
            f"{path}/delivery-record": {"typed_data": self.case["record"]["typed_data"], "relay": None},
            "/api/v1/agents/counter": {"id": self.order["agent_id"], "slug": "counter"},
            "/api/v1/orders/received": {"items": listed, "has_more": False, "next_cursor": None},
            "/api/v1/events": {"items": [event] if is_sent else [], "next_cursor": "c", "has_more": False},
        }
        return Answer(answers[seen.path]) if seen.path in answers else refusal(404, "not_found")

    def post(self, place: str, body: Any) -> Answer:
        self.posted[place] = body
        if place == "/deliver":
            self.order = {**self.case["order"], "output_payload": body["output_payload"]}
            return Answer(self.order)
        if place == "/delivery-record":
            self.order = {**self.order, "delivery_record": "matched"}
            self.stop.set()
        return Answer(vectors["failed_release"]["sent"], 202)

    def resume(self, client: Any) -> Any:
        token, escrow = self.case["agreement"]["token"], self.order["escrow"]
        known = PaymentToken(token["address"], token["decimals"])
        market = Market(escrow["chain_id"], escrow["contract_address"], known)
        return client.resume(self.order["id"], wallet=wallet, market=market)

    def serve(self, client: Any, handler: Any, errors: list[Exception] | None = None) -> None:
        """Serves until the record is posted or an error is reported."""

        def report(error: Exception, *_: Any) -> None:
            if errors is not None:
                errors.append(error)
            self.stop.set()

        handlers = {"text-statistics": handler}
        client.serve("counter", handlers, wallet=wallet, stop=self.stop, poll=0.01, on_error=report)
