"""What a check goes by, and what it comes to."""

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
    """A good signature: the issuer said this. Whether money moved is the chain's to say: `confirm_on_chain`."""

    document: Mapping[str, Any]
    """The settlement document with its proof."""
    claim: Literal["funded", "released", "refunded"]
    status: Literal["good", "unknown"]
    """Whether the issuer stands by it."""
    status_reason: StatusReason | None
    compromised_since: datetime | None
    """Since when others may have had the signing key. Where it is set, only the chain bears the document out: what the event
    does not name (order id, agreement of a release, output) may be a thief's."""
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
    """A good signature: the issuer said this of the agent, and still says so. Whether the numbers follow from what was settled,
    the service's own `npm run reputation` recomputes."""

    statement: Mapping[str, Any]
    """The statement with its proof."""
    kind: Literal["record_statement"] = "record_statement"
    valid: Literal[True] = True


Verified: TypeAlias = Union[VerifiedDocument, VerifiedX402Receipt]


@dataclass(frozen=True)
class Settings:
    """What a check goes by."""

    issuer: str
    status: StatusPolicy = "ask"
    now: datetime | None = None
    limits: Limits = field(default_factory=Limits)
    chain: ChainNode | None = None
    expected: Mapping[str, Any] | None = None
    """What the caller knows already; each value must be the signed one."""

    @property
    def time(self) -> datetime:
        return self.now or datetime.now(timezone.utc)


def answer(flow: Flow[T]) -> Flow[T | ReceiptFailure]:
    """Turns what is raised into a refusal, so that no input at all makes a verifier raise."""
    try:
        return (yield from flow)
    except Rejection as rejection:
        revoked: Literal["revoked"] | None = "revoked" if rejection.code == "receipt_revoked" else None
        return ReceiptFailure(rejection.code, str(rejection), revoked)
    except Exception as error:
        return ReceiptFailure("malformed", f"{type(error).__name__}: {error}")
