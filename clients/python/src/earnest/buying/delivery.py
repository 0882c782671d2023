"""A delivery as its buyer gets it, after the output was compared with its hash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping

from .._core.flow import Flow, ask
from .._generated import types
from .._generated.api import Api
from ..settlement import digest_of
from .agreed import AgreedOrder
from .charge import charge_of
from .market import create_comparison
from .stages import waiting_stage_of


@dataclass(frozen=True)
class Delivery:
    output: Mapping[str, Any] | None
    output_hash: str
    """The SHA-256 of the output's canonical JSON, which the order's trail has too."""
    order: types.Order
    note: str | None = None
    units: int | None = None
    """The units that a metered order is charged for; None for other orders."""
    charge: str | None = None
    """The price of the units in the order's token, which `accept()` pays; None for other orders."""
    stage: int | None = None
    """The number of the delivered stage, from 1, which waits for the buyer; None for other orders."""


def read_delivery(api: Api, agreed: AgreedOrder, order: types.Order) -> Flow[Delivery]:
    """Reads the newest delivery of an order, and compares the output with its hash in the trail."""
    latest: Mapping[str, Any] = {}
    page: Any = yield from ask(api.orders.list_trail(order["id"]))
    while page is not None:
        for entry in page.items:
            if entry["type"] == "order.delivered":
                latest = entry["data"]
        page = None if page.next_cursor is None else (yield from page.next_page())
    found, note = digest_of(order["output_payload"]), latest.get("note")
    create_comparison(order["id"])("order.output_payload", latest.get("output_hash"), found)
    charge, stage = charge_of(agreed, order), waiting_stage_of(agreed, order)
    return Delivery(
        order["output_payload"],
        found,
        order,
        note if isinstance(note, str) else None,
        None if charge is None else charge.units,
        None if charge is None else charge.amount,
        None if stage is None else stage.number,
    )
