"""The EIP-712 typed data that wallets sign unchanged (`eth_signTypedData_v4`). Integers that may be wider than 53 bits are
decimal strings."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypeAlias

from .digest import checksum_address
from .terms import DerivedDeposit

TypedData: TypeAlias = "dict[str, Any]"
"""With `domain`, `types` (including the domain's, as wallets require), `primaryType` and `message`."""

PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
"""Permit2, at the same address on every chain."""
PERMIT2_PROXY = "0x402085c248EeA27D92E8b30b2C58ed07f9E20001"
"""x402's proxy for `exact` payments by Permit2, at the same address on every chain that has it."""


def release_data(escrow: DerivedDeposit, *, deadline: int) -> TypedData:
    """The buyer signs it to pay the provider; valid until `deadline` (Unix seconds)."""
    return _escrow_data(escrow, "Release", ("deadline", "uint256", str(deadline)))


def refund_data(escrow: DerivedDeposit, *, deadline: int) -> TypedData:
    """The provider signs it to refund the buyer."""
    return _escrow_data(escrow, "Refund", ("deadline", "uint256", str(deadline)))


def dispute_data(escrow: DerivedDeposit, *, reason_hash: str, deadline: int) -> TypedData:
    """A party signs it to dispute. `reason_hash` is the `hash_of_text` of the reason, or zero."""
    return _escrow_data(
        escrow, "Dispute", ("reasonHash", "bytes32", reason_hash), ("deadline", "uint256", str(deadline))
    )


def record_delivery_data(
    escrow: DerivedDeposit, *, output_hash: str, number: int, deadline: int
) -> TypedData:
    """The provider signs it to have a delivery recorded.

    Args:
        output_hash: The `digest_of` the output.
        number: The number of recorded deliveries plus one.
        deadline: The order's delivery deadline.
    """
    return _escrow_data(
        escrow,
        "RecordDelivery",
        ("outputHash", "bytes32", output_hash),
        ("number", "uint32", number),
        ("deadline", "uint256", str(deadline)),
    )


def record_part_data(
    escrow: DerivedDeposit, *, earned: int, work_hash: str, is_final: bool, number: int, deadline: int
) -> TypedData:
    """The provider signs it to have a part of the work recorded. A metered order's delivery is one final part.

    Args:
        earned: The provider's amount up to this part, in base units.
        work_hash: The `digest_of` the output.
        is_final: Whether the provider gives up the rest of the amount.
        number: The number of recorded deliveries and parts plus one.
        deadline: The order's delivery deadline.
    """
    return _escrow_data(
        escrow,
        "RecordPart",
        ("earned", "uint256", str(earned)),
        ("workHash", "bytes32", work_hash),
        ("isFinal", "bool", is_final),
        ("number", "uint32", number),
        ("deadline", "uint256", str(deadline)),
    )


def voucher_data(escrow: DerivedDeposit, *, cumulative_amount: int, work_hash: str) -> TypedData:
    """The buyer signs it to pay the provider `cumulative_amount` base units in all, for the work of this hash. It is valid
    until the escrow ends."""
    return _escrow_data(
        escrow,
        "Voucher",
        ("cumulativeAmount", "uint256", str(cumulative_amount)),
        ("workHash", "bytes32", work_hash),
    )


def close_data(escrow: DerivedDeposit, *, provider_amount: int, deadline: int) -> TypedData:
    """Both parties sign it to end the escrow. `provider_amount` includes the paid parts; the buyer gets the rest."""
    return _escrow_data(
        escrow,
        "Close",
        ("providerAmount", "uint256", str(provider_amount)),
        ("deadline", "uint256", str(deadline)),
    )


def decision_data(
    escrow: DerivedDeposit, *, provider_amount: int, ruling_hash: str, deadline: int
) -> TypedData:
    """The arbiter signs it to decide a dispute: the provider's share in base units; the buyer gets the rest."""
    return _escrow_data(
        escrow,
        "DecideDispute",
        ("providerAmount", "uint256", str(provider_amount)),
        ("rulingHash", "bytes32", ruling_hash),
        ("deadline", "uint256", str(deadline)),
    )


def transfer_authorization_data(
    escrow: DerivedDeposit, *, token_name: str, token_version: str, payer: str, valid_before: int, nonce: str
) -> TypedData:
    """The EIP-3009 authorization of the escrow's amount to its deposit address. `message` with the signature is a payment.

    Args:
        token_name: The name of the token's EIP-712 domain; `token_version` is its version.
        nonce: Any 32 random bytes.
    """
    return _data(
        {
            "name": token_name,
            "version": token_version,
            "chainId": escrow.chain_id,
            "verifyingContract": checksum_address(escrow.terms.token),
        },
        "TransferWithAuthorization",
        ("from", "address", checksum_address(payer)),
        ("to", "address", escrow.deposit_address),
        ("value", "uint256", str(escrow.terms.amount)),
        ("validAfter", "uint256", "0"),
        ("validBefore", "uint256", str(valid_before)),
        ("nonce", "bytes32", nonce),
    )


def receive_authorization_data(
    escrow: DerivedDeposit, *, token_name: str, token_version: str, payer: str, valid_before: int
) -> TypedData:
    """The EIP-3009 authorization of the escrow's amount to the escrow contract. Its nonce is the escrow's id, so it is
    valid only for these terms. `message` with the signature is a payment.

    Args:
        token_name: The name of the token's EIP-712 domain; `token_version` is its version.
    """
    return _data(
        {
            "name": token_name,
            "version": token_version,
            "chainId": escrow.chain_id,
            "verifyingContract": checksum_address(escrow.terms.token),
        },
        "ReceiveWithAuthorization",
        ("from", "address", checksum_address(payer)),
        ("to", "address", checksum_address(escrow.escrow_contract)),
        ("value", "uint256", str(escrow.terms.amount)),
        ("validAfter", "uint256", "0"),
        ("validBefore", "uint256", str(valid_before)),
        ("nonce", "bytes32", escrow.escrow_id),
    )


def permit_data(escrow: DerivedDeposit, *, nonce: int, deadline: int) -> TypedData:
    """The permit for Permit2 to move the amount through x402's proxy, only to the order's deposit address."""
    data = _data(
        {"name": "Permit2", "chainId": escrow.chain_id, "verifyingContract": PERMIT2},
        "PermitWitnessTransferFrom",
        (
            "permitted",
            "TokenPermissions",
            {"token": checksum_address(escrow.terms.token), "amount": str(escrow.terms.amount)},
        ),
        ("spender", "address", PERMIT2_PROXY),
        ("nonce", "uint256", str(nonce)),
        ("deadline", "uint256", str(deadline)),
        ("witness", "Witness", {"to": escrow.deposit_address, "validAfter": "0"}),
    )
    data["types"]["TokenPermissions"] = _fields(("token", "address"), ("amount", "uint256"))
    data["types"]["Witness"] = _fields(("to", "address"), ("validAfter", "uint256"))
    return data


_DOMAIN_TYPES = {"name": "string", "version": "string", "chainId": "uint256", "verifyingContract": "address"}


def _escrow_data(escrow: DerivedDeposit, primary_type: str, *members: tuple[str, str, Any]) -> TypedData:
    domain = {
        "name": "Earnest Escrow",
        "version": "1",
        "chainId": escrow.chain_id,
        "verifyingContract": escrow.escrow_contract,
    }
    return _data(domain, primary_type, ("escrowId", "bytes32", escrow.escrow_id), *members)


def _data(domain: dict[str, Any], primary_type: str, *members: tuple[str, str, Any]) -> TypedData:
    return {
        "domain": domain,
        "types": {
            "EIP712Domain": _fields(*((name, _DOMAIN_TYPES[name]) for name in domain)),
            primary_type: _fields(*((name, kind) for name, kind, _ in members)),
        },
        "primaryType": primary_type,
        "message": {name: value for name, _, value in members},
    }


def _fields(*fields: tuple[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "type": kind} for name, kind in fields]
