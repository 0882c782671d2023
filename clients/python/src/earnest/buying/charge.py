"""The charge of a metered order."""

from __future__ import annotations

from dataclasses import dataclass

from .._core.exact import from_base_units
from .._generated import types
from .agreed import AgreedOrder
from .market import UntrustedOrderError, create_comparison


@dataclass(frozen=True)
class Charge:
    """The price of a metered order's delivered units."""

    units: int
    base_units: int
    amount: str
    """The exact decimal in the order's token."""


def is_metered(agreed: AgreedOrder) -> bool:
    """Whether the delivery decides the order's price. The order that the service shows has no say in this."""
    return agreed.agreement.get("pricing_model") == "metered"


def charge_of(agreed: AgreedOrder, order: types.Order) -> Charge | None:
    """Computes the charge of a delivered order from the agreement's unit price; None for an order that is not metered.

    Raises:
        UntrustedOrderError: the service shows other units than 1 to the agreed quantity, or another charge
    """
    if not is_metered(agreed):
        return None
    agreement, compare = agreed.agreement, create_comparison(agreed.order_id)
    quantity, price = agreement.get("quantity"), agreement.get("unit_price_base_units")
    if type(quantity) is not int or not (isinstance(price, str) and price.isdecimal()):
        found = f"{quantity} at {price}"
        raise UntrustedOrderError(agreed.order_id, "agreement.quantity", "a quantity at a unit price", found)
    compare("agreement.amount_base_units", int(price) * quantity, agreed.escrow.terms.amount)
    units: object = order.get("units")
    if type(units) is not int or not 1 <= units <= quantity:
        raise UntrustedOrderError(agreed.order_id, "order.units", f"from 1 to {quantity}", units)
    charge = int(price) * units
    compare("order.charge_base_units", str(charge), order.get("charge_base_units"))
    return Charge(units, charge, from_base_units(charge, agreement["token"]["decimals"]))
