"""The errors of a purchase after it was checked."""

from __future__ import annotations

from typing import Any

from .._generated import types
from ..errors import EarnestError


class OrderEndedError(EarnestError):
    """The order ended with another status than the awaited one."""

    def __init__(self, order_id: str, status: str, awaited: str) -> None:
        super().__init__(f"{order_id} is {status} and will not be {awaited}.")
        self.order_id = order_id
        self.status = status


class ApprovalRequiredError(EarnestError):
    """The order exceeds its API key's approval limit: an owner or admin has to approve it, or has refused it.

    The order is placed but not paid. After the approval, `resume` or an equal purchase pays it.
    """

    def __init__(self, order: types.Order) -> None:
        approval = order.get("approval")
        self.order = order
        self.refused = approval is not None and approval["status"] == "refused"
        said = (
            "was refused by an owner or admin"
            if self.refused
            else "waits for the approval of an owner or admin"
        )
        super().__init__(f"{order['id']} {said}. Nothing was paid.")


class RelayFailedError(EarnestError):
    """The contract refused a signed act that the service tried to send. Repeating the act sends it again."""

    def __init__(self, order_id: str, act: str, reason: str | None) -> None:
        super().__init__(f"The {act} of {order_id} was not sent: {reason or 'the service gave no reason'}.")
        self.order_id = order_id
        self.act = act
        self.reason = reason


def relay_failure(order_id: str, act: str, shown: Any) -> RelayFailedError | None:
    """Returns the error of a signed act that the contract refused, or None."""
    relay = shown.get("relay")
    if relay is None or relay["status"] != "failed":
        return None
    return RelayFailedError(order_id, act, relay["error"])
