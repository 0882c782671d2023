"""Metered orders: the delivery decides the units, and both parties sign for their price alone."""

from __future__ import annotations

import threading
from typing import Any, Callable

import pytest
from flaky import Answer, FlakyServer, Seen, refusal
from vectors import read_vectors

from earnest import (
    HeldToken,
    LocalWallet,
    Market,
    Metered,
    PaymentToken,
    RelayFailedError,
    UntrustedOrderError,
)
from earnest.buying.placing import choose_quantity

vectors = read_vectors("clients/scenarios/client-vectors.json")
metered, wallet = vectors["metered"], LocalWallet(vectors["failed_release"]["wallet"])
order, agreement = metered["order"], metered["agreement"]
path = f"/api/v1/orders/{order['id']}"
refused = [pytest.param(case, id=case["name"]) for case in metered["refused"]]


class Service:
    """Has one metered order, and keeps what is posted."""

    def __init__(self, server: FlakyServer, **change: Any) -> None:
        self.order: dict[str, Any] = {**order, **change}
        self.posted: dict[str, Any] = {}
        self.stop = threading.Event()
        server.otherwise = self.answer

    def answer(self, seen: Seen) -> Answer:
        if seen.method == "POST":
            return self.post(seen.path.removeprefix(path), seen.body)
        listed = [self.order] if seen.query.get("status") == [self.order["status"]] else []
        delivered = {"type": "order.delivered", "data": {"output_hash": metered["output_hash"]}}
        is_sent = "/release" in self.posted
        answers = {
            path: self.order,
            f"{path}/agreement": agreement,
            f"{path}/events": {"items": [delivered], "has_more": False, "next_cursor": None},
            f"{path}/release": vectors["failed_release"]["failed"] if is_sent else {"relay": None},
            f"{path}/delivery-record": {"typed_data": metered["record"]["typed_data"], "relay": None},
            "/api/v1/agents/counter": {"id": order["agent_id"], "slug": "counter"},
            "/api/v1/orders/received": {"items": listed, "has_more": False, "next_cursor": None},
            "/api/v1/events": {"items": [], "next_cursor": "c", "has_more": False},
        }
        return Answer(answers[seen.path]) if seen.path in answers else refusal(404, "not_found")

    def post(self, place: str, body: Any) -> Answer:
        self.posted[place] = body
        if place == "/deliver":
            self.order = {**order, "output_payload": body["output_payload"]}
            return Answer(self.order)
        if place == "/delivery-record":
            self.order = {**self.order, "delivery_record": "matched"}
            self.stop.set()
        return Answer(vectors["failed_release"]["sent"], 202)


def resume(client: Any) -> Any:
    token, escrow = agreement["token"], order["escrow"]
    known = PaymentToken(token["address"], token["decimals"])
    market = Market(escrow["chain_id"], escrow["contract_address"], known)
    return client.resume(order["id"], wallet=wallet, market=market)


def serve(client: Any, service: Service, result: Any, errors: list[Exception] | None = None) -> None:
    def report(error: Exception, *_: Any) -> None:
        if errors is not None:
            errors.append(error)
        service.stop.set()

    handlers = {"text-statistics": lambda *_: result}
    client.serve("counter", handlers, wallet=wallet, stop=service.stop, poll=0.01, on_error=report)


def test_the_buyer_signs_for_the_charge_alone(client: Callable[..., Any], server: FlakyServer) -> None:
    service = Service(server)
    purchase = resume(client())
    delivery = purchase.delivery()
    assert (delivery.units, delivery.charge) == (3, "0.750000")
    with pytest.raises(RelayFailedError):
        purchase.accept()
    assert service.posted["/release"]["signature"] == metered["voucher"]["signature"]


@pytest.mark.parametrize("case", refused)
def test_a_wrong_charge_is_not_signed(
    case: dict[str, Any], client: Callable[..., Any], server: FlakyServer
) -> None:
    service = Service(server, **case["change"])
    purchase = resume(client())
    for call in (purchase.delivery, purchase.accept):
        with pytest.raises(UntrustedOrderError) as refusal:
            call()
        assert refusal.value.field == case["field"]
    assert service.posted == {}
    errors: list[Exception] = []
    serve(client(), service, None, errors)
    assert [getattr(error, "field", error) for error in errors] == [case["field"]]
    assert service.posted == {}


def test_without_a_delivery_nothing_is_released(client: Callable[..., Any], server: FlakyServer) -> None:
    service = Service(server, status="started", units=None, charge=None, charge_base_units=None)
    with pytest.raises(TypeError, match="is not delivered"):
        resume(client()).accept()
    assert service.posted == {}


def test_the_provider_delivers_units_and_records_their_charge(
    client: Callable[..., Any], server: FlakyServer
) -> None:
    deadline = "2999-01-01T00:00:00.000Z"
    service = Service(server, status="started", output_payload=None, units=None, delivery_deadline=deadline)
    serve(client(), service, Metered(order["output_payload"], 3))
    assert service.posted["/deliver"] == {"output_payload": order["output_payload"], "units": 3}
    assert service.posted["/delivery-record"]["signature"] == metered["record"]["signature"]


def test_units_that_the_service_changes_are_not_recorded(
    client: Callable[..., Any], server: FlakyServer
) -> None:
    deadline = "2999-01-01T00:00:00.000Z"
    service = Service(server, status="started", output_payload=None, units=None, delivery_deadline=deadline)
    errors: list[Exception] = []
    serve(client(), service, Metered(order["output_payload"], 4), errors)
    assert [getattr(error, "field", error) for error in errors] == ["order.units"]
    assert "/delivery-record" not in service.posted


def test_the_default_quantity_of_a_metered_service_is_its_maximum_or_what_the_maximum_amount_pays() -> None:
    service: Any = {"pricing_model": "metered", "min_quantity": 1, "max_quantity": 10, "price": "0.30"}
    assert choose_quantity(service, None, "5.00", None) == 10
    service["pricing_model"] = "per_unit"
    assert choose_quantity(service, None, "5.00", None) == 1
    service.update(pricing_model="metered", max_quantity=None)
    assert choose_quantity(service, None, "5.00", None) == 16
    assert choose_quantity(service, 3, "5.00", None) == 3
    assert choose_quantity(service, None, None, [HeldToken(1, "0x", max_amount="0.90")]) == 3
    with pytest.raises(TypeError, match="below the price of one unit"):
        choose_quantity(service, None, "0.29", None)
