"""Metered orders: the delivery decides the units, and both parties sign for their price alone."""

from __future__ import annotations

from typing import Any, Callable

import pytest
from flaky import FlakyServer
from one_order import OneOrder, vectors

from earnest import HeldToken, Metered, RelayFailedError, UntrustedOrderError
from earnest.buying.placing import choose_quantity

metered = vectors["metered"]
order = metered["order"]
refused = [pytest.param(case, id=case["name"]) for case in metered["refused"]]


def test_the_buyer_signs_for_the_charge_alone(client: Callable[..., Any], server: FlakyServer) -> None:
    service = OneOrder(server, metered, delivery_record="matched")
    purchase = service.resume(client())
    delivery = purchase.delivery()
    assert (delivery.units, delivery.charge) == (3, "0.750000")
    with pytest.raises(RelayFailedError):
        purchase.accept()
    assert service.posted["/release"]["signature"] == metered["voucher"]["signature"]


def test_the_buyer_accepts_once_the_provider_has_recorded_its_claim(
    client: Callable[..., Any], server: FlakyServer
) -> None:
    service = OneOrder(server, metered, delivery_record="none")
    reads: list[str] = []

    def answer(seen: Any) -> Any:
        if seen.method == "GET" and seen.path.endswith(order["id"]):
            reads.append(seen.path)
            if len(reads) > 2:
                service.order["delivery_record"] = "matched"
        if "/release" in seen.path:
            assert service.order["delivery_record"] == "matched"
        return service.answer(seen)

    server.otherwise = answer
    with pytest.raises(RelayFailedError):
        service.resume(client()).accept()
    assert "/release" in service.posted


@pytest.mark.parametrize("case", refused)
def test_a_wrong_charge_is_not_signed(
    case: dict[str, Any], client: Callable[..., Any], server: FlakyServer
) -> None:
    service = OneOrder(server, metered, delivery_record="matched", **case["change"])
    purchase = service.resume(client())
    for call in (purchase.delivery, purchase.accept):
        with pytest.raises(UntrustedOrderError) as refusal:
            call()
        assert refusal.value.field == case["field"]
    assert service.posted == {}
    service.order["delivery_record"] = "none"
    errors: list[Exception] = []
    service.serve(client(), lambda *_: None, errors)
    assert [getattr(error, "field", error) for error in errors] == [case["field"]]
    assert service.posted == {}


def test_without_a_delivery_nothing_is_released(client: Callable[..., Any], server: FlakyServer) -> None:
    service = OneOrder(server, metered, status="started", units=None, charge=None, charge_base_units=None)
    with pytest.raises(TypeError, match="is not delivered"):
        service.resume(client()).accept()
    assert service.posted == {}


def test_the_provider_delivers_units_and_records_their_charge(
    client: Callable[..., Any], server: FlakyServer
) -> None:
    deadline = "2999-01-01T00:00:00.000Z"
    service = OneOrder(
        server, metered, status="started", output_payload=None, units=None, delivery_deadline=deadline
    )
    service.serve(client(), lambda *_: Metered(order["output_payload"], 3))
    assert service.posted["/deliver"] == {"output_payload": order["output_payload"], "units": 3}
    assert service.posted["/delivery-record"]["signature"] == metered["record"]["signature"]


def test_units_that_the_service_changes_are_not_recorded(
    client: Callable[..., Any], server: FlakyServer
) -> None:
    deadline = "2999-01-01T00:00:00.000Z"
    service = OneOrder(
        server, metered, status="started", output_payload=None, units=None, delivery_deadline=deadline
    )
    errors: list[Exception] = []
    service.serve(client(), lambda *_: Metered(order["output_payload"], 4), errors)
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
