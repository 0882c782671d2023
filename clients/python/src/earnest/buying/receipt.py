"""The receipt of an order's release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._core.flow import Flow
from ..receipts import ChainAnswer, ChainNode, ReceiptFailure, VerifiedDocument
from ..receipts.chain import confirm_flow
from ..receipts.document import check_document
from ..receipts.result import Settings, answer
from .agreed import AgreedOrder
from .market import UntrustedOrderError, create_comparison


@dataclass(frozen=True)
class ReleaseReceipt:
    """A receipt with a valid signature for the order. `chain` is the result of the on-chain check; None without a node."""

    verified: VerifiedDocument
    chain: ChainAnswer | None


def read_receipt(
    document: Any, agreed: AgreedOrder, amount: int, issuer: str, rpc_url: str | None
) -> Flow[ReleaseReceipt]:
    """Verifies the receipt of an order's release.

    Args:
        amount: the provider's amount in base units

    Raises:
        UntrustedOrderError: it is not valid, or is about another order
    """
    compare = create_comparison(agreed.order_id)
    verified = yield from answer(check_document(document, Settings(issuer)))
    if isinstance(verified, ReceiptFailure):
        found = f"{verified.code}: {verified.message}"
        raise UntrustedOrderError(agreed.order_id, "receipt", "a good receipt", found)
    said = verified.document
    compare("receipt.claim", "released", said["claim"])
    compare("receipt.order_id", agreed.order_id, said["order_id"])
    compare("receipt.escrow_id", agreed.escrow.escrow_id, said["escrow_id"])
    compare("receipt.agreement_hash", agreed.escrow.terms.order_hash, said["agreement_hash"])
    compare("receipt.contract", agreed.escrow.escrow_contract, said["contract"])
    compare("receipt.amount", str(amount), said["amount"])
    if rpc_url is None:
        return ReleaseReceipt(verified, None)
    node = ChainNode(rpc_url, contract=agreed.escrow.escrow_contract)
    chain = yield from confirm_flow(said, node)
    if chain.checked and not chain.agrees:
        raise UntrustedOrderError(agreed.order_id, "receipt", "what the chain says", chain.code)
    return ReleaseReceipt(verified, chain)
