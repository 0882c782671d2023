"""Orders in stages: each delivery claims the sum of the stages so far, and the buyer pays one stage after the other."""

from __future__ import annotations

from typing import Any, Callable

import pytest
from flaky import FlakyServer
from one_order import OneOrder, vectors

from earnest import HandlerContext, RelayFailedError, UntrustedOrderError
from earnest.buying.agreed import AgreedOrder
from earnest.buying.release import paid_amount_of
from earnest.buying.stages import compare_stages
from earnest.settlement import derive_deposit

staged = vectors["staged"]
order = staged["order"]
refused = [pytest.param(case, id=case["name"]) for case in staged["refused"]]


def with_states(*states: str) -> list[Any]:
    return [{**stage, "state": state} for stage, state in zip(order["stages"], states, strict=True)]


def test_the_buyer_signs_for_the_delivered_stage_alone(
    client: Callable[..., Any], server: FlakyServer
) -> None:
    service = OneOrder(server, staged)
    purchase = service.resume(client())
    assert purchase.delivery().stage == 2
    for wrong in (purchase.accept, lambda: purchase.accept_stage(3)):
        with pytest.raises(TypeError, match=r"follow|is not delivered"):
            wrong()
    assert service.posted == {}
    with pytest.raises(RelayFailedError):
        purchase.accept_stage(2)
    assert service.posted["/release"]["signature"] == staged["voucher"]["signature"]


def test_a_paid_stage_is_not_paid_again(client: Callable[..., Any], server: FlakyServer) -> None:
    service = OneOrder(server, staged, status="started", stages=with_states("accepted", "accepted", "open"))
    purchase = service.resume(client())
    assert purchase.accept_stage(2)["status"] == "started"
    with pytest.raises(TypeError, match="is not delivered"):
        purchase.accept_stage(3)
    assert service.posted == {}


@pytest.mark.parametrize("case", refused)
def test_stages_that_were_not_agreed_are_not_signed(
    case: dict[str, Any], client: Callable[..., Any], server: FlakyServer
) -> None:
    service = OneOrder(server, staged, **case["change"])
    purchase = service.resume(client())
    for call in (purchase.delivery, purchase.accept, lambda: purchase.accept_stage(2)):
        with pytest.raises(UntrustedOrderError) as refusal:
            call()
        assert refusal.value.field == case["field"]
    errors: list[Exception] = []
    service.serve(client(), None, errors)
    assert [getattr(error, "field", error) for error in errors] == [case["field"]]
    assert service.posted == {}


def test_the_provider_delivers_a_stage_and_records_the_sum_so_far(
    client: Callable[..., Any], server: FlakyServer
) -> None:
    stages, deadline = with_states("accepted", "open", "open"), "2999-01-01T00:00:00.000Z"
    service = OneOrder(server, staged, status="started", stages=stages, delivery_deadline=deadline)
    revised = {"type": "order.revision_requested", "data": {"reason": "Two, please.", "stage": 1}}
    service.trail.append(revised)
    seen: list[HandlerContext] = []

    def draft(_: Any, context: HandlerContext) -> Any:
        seen.append(context)
        return order["output_payload"]

    service.serve(client(), draft)
    assert service.posted["/deliver"] == {"output_payload": order["output_payload"]}
    assert service.posted["/delivery-record"]["signature"] == staged["record"]["signature"]
    [context] = seen
    # The changes of another stage are not this one's.
    assert context.stage is not None
    assert context.stage["number"] == 2
    assert (context.changes, context.is_retry) == (None, False)


def test_an_order_that_ended_between_two_stages_has_paid_the_accepted_ones() -> None:
    agreed = AgreedOrder(order["id"], staged["agreement"], derive_deposit(staged["agreement"]))
    first, second, third = (int(stage["amount_base_units"]) for stage in staged["agreement"]["stages"])
    for last, paid in (("open", first + second), ("accepted", first + second + third)):
        shown: Any = {**order, "status": "released", "stages": with_states("accepted", "accepted", last)}
        assert paid_amount_of(agreed, shown) == paid


def test_an_agreement_with_other_stages_than_the_quote_is_not_bought() -> None:
    agreed = AgreedOrder(order["id"], staged["agreement"], derive_deposit(staged["agreement"]))
    quoted = staged["quoted"]
    compare_stages(agreed, quoted, 6)
    first, second, third = quoted
    for given, field in (
        (None, "agreement.stages"),
        (quoted[:2], "agreement.stages"),
        ([first, {**second, "amount": "1.24"}, third], "agreement.stages[1].amount_base_units"),
        ([first, {**second, "hours": 2}, third], "agreement.stages[1].hours"),
        ([first, {**second, "title": "Text"}, third], "agreement.stages[1].title"),
        ([{**first, "output_schema": None}, second, third], "agreement.stages[0].output_schema_digest"),
    ):
        with pytest.raises(UntrustedOrderError) as refusal:
            compare_stages(agreed, given, 6)
        assert refusal.value.field == field
    one_delivery = {name: value for name, value in staged["agreement"].items() if name != "stages"}
    with pytest.raises(UntrustedOrderError):
        compare_stages(AgreedOrder(order["id"], one_delivery, agreed.escrow), quoted, 6)
