"""The record of a delivery that the provider signs."""

from __future__ import annotations

from .._core.times import read_time
from .._generated import types
from ..buying.agreed import AgreedOrder
from ..buying.charge import charge_of
from ..buying.market import UntrustedOrderError
from ..buying.stages import has_stages, waiting_stage_of
from ..settlement import TypedData, digest_of, record_delivery_data, record_part_data


def record_data_of(agreed: AgreedOrder, order: types.Order, number: int) -> TypedData:
    """Builds the record of a delivery. Only its number and its stage are taken from the service. Of a metered order, it is a
    final part of the charge; of a stage, a part of the sum of the stages so far."""
    due = read_time(order["delivery_deadline"] or "")
    deadline, output_hash = int(due.timestamp()) if due else 0, digest_of(order["output_payload"])
    stage, charge = waiting_stage_of(agreed, order), charge_of(agreed, order)
    if stage is not None:
        earned, is_final = stage.sum, stage.is_final
    elif has_stages(agreed):
        raise UntrustedOrderError(agreed.order_id, "order.stages", "a delivered stage", None)
    elif charge is not None:
        earned, is_final = charge.base_units, True
    else:
        return record_delivery_data(agreed.escrow, output_hash=output_hash, number=number, deadline=deadline)
    return record_part_data(
        agreed.escrow,
        earned=earned,
        work_hash=output_hash,
        is_final=is_final,
        number=number,
        deadline=deadline,
    )
