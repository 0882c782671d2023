"""The terms of a session, from its order's agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping

from ..buying.agreed import AgreedOrder
from ..buying.market import UntrustedOrderError
from ..settlement import VOUCHERS_ONLY, DerivedDeposit


@dataclass(frozen=True)
class SessionTerms:
    """The terms of a session at its provider. Amounts are base units of the token."""

    order_id: str
    escrow: DerivedDeposit
    price: int
    session_key: str
    decimals: int
    ends_at: float
    """Unix seconds of the delivery deadline: from then on anyone can refund what is not paid."""

    @property
    def escrow_id(self) -> str:
        return self.escrow.escrow_id.lower()

    @property
    def balance(self) -> int:
        return self.escrow.terms.amount

    @classmethod
    def of(cls, agreed: AgreedOrder, ends_at: float) -> SessionTerms:
        """
        Raises:
            UntrustedOrderError: the agreement is not of a session
        """
        require_session(agreed)
        agreement: Mapping[str, Any] = agreed.agreement
        price, key = int(agreement["unit_price_base_units"]), str(agreement.get("session_key"))
        decimals = int(agreement["token"]["decimals"])
        return cls(agreed.order_id, agreed.escrow, price, key, decimals, ends_at)


def require_session(agreed: AgreedOrder) -> None:
    """
    Raises:
        UntrustedOrderError: the agreement is not of a session
    """
    model, window = agreed.agreement.get("pricing_model"), agreed.escrow.terms.acceptance_window
    if model != "per_call":
        raise UntrustedOrderError(agreed.order_id, "agreement.pricing_model", "per_call", model)
    # With records or disputes, more than the vouchers could be paid, or less.
    if window != VOUCHERS_ONLY:
        field = "agreement.acceptance_window_seconds"
        raise UntrustedOrderError(agreed.order_id, field, VOUCHERS_ONLY, window)
