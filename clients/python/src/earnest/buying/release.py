"""The data that releases an order: of a metered order or a stage, the voucher of its charge."""

from __future__ import annotations

from .._generated import types
from ..settlement import TypedData, digest_of, release_data, voucher_data
from .agreed import AgreedOrder
from .charge import charge_of, is_metered
from .stages import has_stages, paid_stages_of, waiting_stage_of


def release_data_of(agreed: AgreedOrder, order: types.Order, deadline: int) -> TypedData:
    """Builds the release of an order. A plain release of a metered order or of a stage could pay the whole amount.

    Raises:
        TypeError: nothing of a metered order or of an order in stages is delivered
    """
    if has_stages(agreed):
        stage = waiting_stage_of(agreed, order)
        if stage is None:
            raise TypeError(f"No stage of {agreed.order_id} is delivered.")
        return _voucher_of(agreed, order, stage.sum)
    if is_metered(agreed) and order["status"] != "delivered" and order.get("units") is None:
        raise TypeError(f"The metered order {agreed.order_id} is not delivered, so it has no charge.")
    charge = charge_of(agreed, order)
    if charge is None:
        return release_data(agreed.escrow, deadline=deadline)
    return _voucher_of(agreed, order, charge.base_units)


def paid_amount_of(agreed: AgreedOrder, order: types.Order) -> int:
    """Returns the base units that a released order has paid its provider.

    Raises:
        UntrustedOrderError: the service shows another charge than the agreed one
    """
    if has_stages(agreed):
        return paid_stages_of(agreed, order)
    charge = charge_of(agreed, order)
    return agreed.escrow.terms.amount if charge is None else charge.base_units


def _voucher_of(agreed: AgreedOrder, order: types.Order, amount: int) -> TypedData:
    work_hash = digest_of(order["output_payload"])
    return voucher_data(agreed.escrow, cumulative_amount=amount, work_hash=work_hash)
