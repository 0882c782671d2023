"""The contract calls, which any wallet can send. None of them sends native coin."""

from __future__ import annotations

from dataclasses import dataclass

from . import abi
from .digest import checksum_address
from .terms import TERMS_TYPE, DerivedDeposit


@dataclass(frozen=True)
class Call:
    function: str
    to: str
    data: str
    """The selector and the arguments in 0x-hex."""


def approve_call(escrow: DerivedDeposit) -> Call:
    """Allows the escrow contract to take exactly the amount from the sender."""
    data = abi.encode_call("approve(address,uint256)", escrow.escrow_contract, escrow.terms.amount)
    return Call("approve", checksum_address(escrow.terms.token), data)


def create_escrow_call(escrow: DerivedDeposit) -> Call:
    """Creates the escrow from the sender's allowance."""
    return _call(escrow, "createEscrow")


def create_escrow_from_deposit_call(escrow: DerivedDeposit) -> Call:
    """Creates the escrow from the money at its deposit address; anyone sends it."""
    return _call(escrow, "createEscrowFromDeposit")


def create_escrow_with_authorization_call(
    escrow: DerivedDeposit, *, payer: str, valid_after: int, valid_before: int, nonce: str, signature: str
) -> Call:
    """Creates the escrow by the payer's EIP-3009 authorization to the deposit address; anyone sends it."""
    return _call(
        escrow,
        "createEscrowWithAuthorization",
        "address,uint256,uint256,bytes32,bytes",
        payer,
        valid_after,
        valid_before,
        nonce,
        abi.from_hex(signature),
    )


def create_escrow_with_receive_authorization_call(
    escrow: DerivedDeposit, *, payer: str, valid_before: int, signature: str
) -> Call:
    """Creates the escrow by the payer's EIP-3009 authorization to the contract, whose nonce is the escrow's id; anyone
    sends it."""
    return _call(
        escrow,
        "createEscrowWithReceiveAuthorization",
        "address,uint256,bytes",
        payer,
        valid_before,
        abi.from_hex(signature),
    )


def release_call(escrow: DerivedDeposit) -> Call:
    """Pays the provider; the buyer's own wallet sends it."""
    return _call(escrow, "release")


def refund_call(escrow: DerivedDeposit) -> Call:
    """Pays the buyer back; the provider's own wallet sends it."""
    return _call(escrow, "refund")


def settle_dispute_call(escrow: DerivedDeposit) -> Call:
    """Pays out a dispute as decided or by its deadlines; anyone sends it."""
    return _call(escrow, "settleDispute")


def record_delivery_call(escrow: DerivedDeposit, output_hash: str) -> Call:
    """Records a delivery; the provider's own wallet sends it."""
    return _call(escrow, "recordDelivery", "bytes32", output_hash)


def signed_delivery_call(escrow: DerivedDeposit, *, output_hash: str, deadline: int, signature: str) -> Call:
    """Records a delivery by the provider's signature; anyone sends it."""
    return _call(
        escrow,
        "recordDeliveryWithSignature",
        "bytes32,uint256,bytes",
        output_hash,
        deadline,
        abi.from_hex(signature),
    )


def record_part_call(escrow: DerivedDeposit, *, earned: int, work_hash: str, is_final: bool) -> Call:
    """Records a part of the work; the provider's own wallet sends it."""
    return _call(escrow, "recordPart", "uint256,bytes32,bool", earned, work_hash, is_final)


def signed_part_call(
    escrow: DerivedDeposit, *, earned: int, work_hash: str, is_final: bool, deadline: int, signature: str
) -> Call:
    """Records a part of the work by the provider's signature; anyone sends it."""
    return _call(
        escrow,
        "recordPartWithSignature",
        "uint256,bytes32,bool,uint256,bytes",
        earned,
        work_hash,
        is_final,
        deadline,
        abi.from_hex(signature),
    )


def voucher_call(
    escrow: DerivedDeposit, *, cumulative_amount: int, work_hash: str, signature: str = "0x"
) -> Call:
    """Pays a part by the buyer's voucher; anyone sends it. The buyer's own wallet sends it without a signature."""
    return _call(
        escrow,
        "useVoucher",
        "uint256,bytes32,bytes",
        cumulative_amount,
        work_hash,
        abi.from_hex(signature),
    )


def release_part_call(escrow: DerivedDeposit) -> Call:
    """Pays the accepted parts to the provider; anyone sends it."""
    return _call(escrow, "releasePart")


def dispute_call(escrow: DerivedDeposit, reason_hash: str) -> Call:
    """Disputes the escrow; a party's own wallet sends it."""
    return _call(escrow, "dispute", "bytes32", reason_hash)


def decide_dispute_call(escrow: DerivedDeposit, *, provider_amount: int, ruling_hash: str) -> Call:
    """Decides a dispute; the arbiter's own wallet sends it."""
    return _call(escrow, "decideDispute", "uint256,bytes32", provider_amount, ruling_hash)


def signed_decision_call(
    escrow: DerivedDeposit, *, provider_amount: int, ruling_hash: str, deadline: int, signature: str
) -> Call:
    """Decides a dispute by the arbiter's signature; anyone sends it."""
    return _call(
        escrow,
        "decideDisputeWithSignature",
        "uint256,bytes32,uint256,bytes",
        provider_amount,
        ruling_hash,
        deadline,
        abi.from_hex(signature),
    )


def signed_release_call(escrow: DerivedDeposit, *, deadline: int, signature: str) -> Call:
    """Pays the provider by the buyer's signature; anyone sends it."""
    return _call(escrow, "releaseWithSignature", "uint256,bytes", deadline, abi.from_hex(signature))


def signed_refund_call(escrow: DerivedDeposit, *, deadline: int, signature: str) -> Call:
    """Pays the buyer back by the provider's signature; anyone sends it."""
    return _call(escrow, "refundWithSignature", "uint256,bytes", deadline, abi.from_hex(signature))


def signed_dispute_call(
    escrow: DerivedDeposit, *, party: str, reason_hash: str, deadline: int, signature: str
) -> Call:
    """Disputes the escrow by a party's signature; anyone sends it."""
    return _call(
        escrow,
        "disputeWithSignature",
        "address,bytes32,uint256,bytes",
        party,
        reason_hash,
        deadline,
        abi.from_hex(signature),
    )


def return_deposit_call(escrow: DerivedDeposit) -> Call:
    """Sends the deposit address's balance in the order's token to the buyer."""
    return _call(escrow, "returnDeposit", "address", escrow.terms.token)


def _call(escrow: DerivedDeposit, function: str, types: str = "", *values: abi.Value) -> Call:
    signature = f"{function}({TERMS_TYPE}{',' if types else ''}{types})"
    data = abi.encode_call(signature, escrow.terms.as_struct(), *values)
    return Call(function, checksum_address(escrow.escrow_contract), data)
