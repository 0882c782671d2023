"""The stages of an order: the claim of each delivery, which its buyer pays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from .._core.exact import to_base_units
from .._generated import types
from ..settlement import digest_of
from .agreed import AgreedOrder
from .market import UntrustedOrderError, create_comparison


@dataclass(frozen=True)
class WaitingStage:
    """A delivered stage that waits for the buyer."""

    number: int
    """From 1."""
    sum: int
    """The base units of all stages up to this one, which its payment covers."""
    is_final: bool


def has_stages(agreed: AgreedOrder) -> bool:
    """Whether the order is paid in stages. The order that the service shows has no say in this."""
    return agreed.agreement.get("stages") is not None


def waiting_stage_of(agreed: AgreedOrder, order: types.Order) -> WaitingStage | None:
    """Finds the delivered stage of an order, with its sum by the agreement. The service alone says which one is delivered.

    Returns:
        None for an order without stages, or while no stage waits

    Raises:
        UntrustedOrderError: the stages of the order are not those of the agreement
    """
    if not has_stages(agreed):
        return None
    compare, amounts = create_comparison(agreed.order_id), _amounts_of(agreed)
    shown = order.get("stages") or []
    compare("order.stages", len(amounts), len(shown))
    for index, (amount, stage) in enumerate(zip(amounts, shown, strict=True)):
        compare(f"order.stages[{index}].amount_base_units", str(amount), stage["amount_base_units"])
    states = [stage["state"] for stage in shown]
    waiting = [number for number, state in enumerate(states, 1) if state in ("delivered", "disputed")]
    if not waiting:
        return None
    number = waiting[0]
    compare("order.stages", number - 1, states.count("accepted"))
    return WaitingStage(number, sum(amounts[:number]), number == len(amounts))


def paid_stages_of(agreed: AgreedOrder, order: types.Order) -> int:
    """Sums the accepted stages, in base units. The provider can end an order between two stages.

    Raises:
        UntrustedOrderError: the agreement has no such amounts
    """
    accepted = [stage["state"] for stage in order.get("stages") or []].count("accepted")
    return sum(_amounts_of(agreed)[:accepted])


def compare_stages(agreed: AgreedOrder, quoted: Sequence[types.QuotedStage] | None, decimals: int) -> None:
    """Compares the stages of the agreement with those of the service or the quote.

    Args:
        quoted: None for an order without stages
        decimals: the decimals of the order's token
    """
    compare = create_comparison(agreed.order_id)
    if quoted is None:
        compare("agreement.stages", None, agreed.agreement.get("stages"))
        return
    found = _stages_of(agreed)
    compare("agreement.stages", len(quoted), len(found))
    for index, (stage, listed) in enumerate(zip(quoted, found, strict=True)):
        schema = stage["output_schema"]
        expected = {
            "title": stage["title"],
            "amount_base_units": str(to_base_units(stage["amount"], decimals)),
            "hours": stage["hours"],
            "output_schema_digest": None if schema is None else digest_of(schema),
        }
        for name, value in expected.items():
            compare(f"agreement.stages[{index}].{name}", value, listed.get(name))


def _stages_of(agreed: AgreedOrder) -> list[Mapping[str, Any]]:
    stages = agreed.agreement.get("stages")
    if isinstance(stages, list) and all(isinstance(stage, dict) for stage in stages):
        return stages
    raise UntrustedOrderError(agreed.order_id, "agreement.stages", "a list of stages", stages)


def _amounts_of(agreed: AgreedOrder) -> list[int]:
    amounts = [stage.get("amount_base_units") for stage in _stages_of(agreed)]
    if all(isinstance(amount, str) and amount.isdecimal() for amount in amounts):
        return [int(str(amount)) for amount in amounts]
    raise UntrustedOrderError(agreed.order_id, "agreement.stages", "amounts in base units", amounts)
