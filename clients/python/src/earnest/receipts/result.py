"""The options and the results of a check."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Literal, Mapping, TypeVar, Union

from typing_extensions import TypeAlias

from .._core.flow import Flow
from .chain import ChainNode
from .errors import ReceiptFailure, Rejection
from .keyset import Limits
from .status import StatusPolicy, StatusReason

T = TypeVar("T")


@dataclass(frozen=True)
class _Signed:
    issuer: str
    key_id: str
    """The DID URL of the key that signed."""


@dataclass(frozen=True)
class VerifiedDocument(_Signed):
    """A valid signature: the issuer made this statement. `confirm_on_chain` checks whether money moved."""

    document: Mapping[str, Any]
    """The settlement document with its proof."""
    claim: Literal["funded", "part_released", "released", "refunded"]
    status: Literal["good", "unknown"]
    """Whether the issuer has revoked the receipt."""
    status_reason: StatusReason | None
    compromised_since: datetime | None
    """The time of the compromise, if the signing key is compromised. Then only the chain confirms the document, and
    members that the event does not have (order id, agreement of a release, output) may be forged."""
    kind: Literal["settlement_document"] = "settlement_document"
    valid: Literal[True] = True


@dataclass(frozen=True)
class VerifiedX402Receipt(_Signed):
    receipt: Mapping[str, Any]
    status: Literal["good", "unknown"]
    status_reason: StatusReason | None
    kind: Literal["x402_receipt"] = "x402_receipt"
    valid: Literal[True] = True


@dataclass(frozen=True)
class VerifiedOffer(_Signed):
    offer: Mapping[str, Any]
    kind: Literal["x402_offer"] = "x402_offer"
    valid: Literal[True] = True


@dataclass(frozen=True)
class VerifiedRecordStatement(_Signed):
    """A valid signature: the issuer made this statement of the agent, and it is unexpired. `npm run reputation` of the
    service recomputes the numbers."""

    statement: Mapping[str, Any]
    """The statement with its proof."""
    kind: Literal["record_statement"] = "record_statement"
    valid: Literal[True] = True


Verified: TypeAlias = Union[VerifiedDocument, VerifiedX402Receipt]


@dataclass(frozen=True)
class Settings:
    """The options of a check."""

    issuer: str
    status: StatusPolicy = "ask"
    now: datetime | None = None
    limits: Limits = field(default_factory=Limits)
    chain: ChainNode | None = None
    expected: Mapping[str, Any] | None = None
    """The values that the caller expects. Each must be the signed one."""

    @property
    def time(self) -> datetime:
        return self.now or datetime.now(timezone.utc)


def answer(flow: Flow[T]) -> Flow[T | ReceiptFailure]:
    """Converts exceptions to refusals, so that a verifier raises for no input."""
    try:
        return (yield from flow)
    except Rejection as rejection:
        revoked: Literal["revoked"] | None = "revoked" if rejection.code == "receipt_revoked" else None
        return ReceiptFailure(rejection.code, str(rejection), revoked)
    except Exception as error:
        return ReceiptFailure("malformed", f"{type(error).__name__}: {error}")
