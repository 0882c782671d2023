from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Mapping

from . import abi
from .digest import checksum_address, digest_of, is_checksummed, keccak256


@dataclass(frozen=True)
class Terms:
    """An escrow's terms, field by field as the contract's `Terms`."""

    buyer: str
    provider: str
    token: str
    amount: int
    """Base units."""
    fund_by: int
    """Unix seconds."""
    delivery_window: int
    """Seconds, as the next three fields."""
    acceptance_window: int
    dispute_window: int
    appeal_window: int
    arbiter: str
    """The zero address, which stands for no account."""
    order_hash: str

    def as_struct(self) -> abi.Value:
        """The fields in the contract's order."""
        return tuple(vars(self).values())


VOUCHERS_ONLY = 2**32 - 1
"""The acceptance window of an escrow that the buyer's vouchers alone pay. The contract then takes no record of work and no
dispute."""
TERMS_TYPE = "(address,address,address,uint128,uint48,uint32,uint32,uint32,uint32,address,bytes32)"


def escrow_id_of(chain_id: int, escrow_contract: str, terms: Terms) -> str:
    """Returns the escrow's id: keccak256(abi.encode(chain id, escrow contract, terms))."""
    return "0x" + keccak256(abi.encode(chain_id, escrow_contract, terms.as_struct())).hex()


def deposit_implementation_of(escrow_contract: str) -> str:
    """Returns the implementation of an escrow contract's deposit addresses, which its constructor created (CREATE,
    nonce 1)."""
    # RLP of [address, 1].
    made = keccak256(b"\xd6\x94" + abi.from_hex(escrow_contract) + b"\x01")
    return checksum_address("0x" + made[12:].hex())


def deposit_address_of(escrow_contract: str, implementation: str, escrow_id: str) -> str:
    """Returns the order's deposit address: the EIP-1167 clone that the escrow contract deploys with CREATE2, salt =
    escrow id."""
    code = (
        bytes.fromhex("3d602d80600a3d3981f3363d3d373d3d3d363d73")
        + abi.from_hex(implementation)
        + bytes.fromhex("5af43d82803e903d91602b57fd5bf3")
    )
    preimage = b"\xff" + abi.from_hex(escrow_contract) + abi.from_hex(escrow_id) + keccak256(code)
    return checksum_address("0x" + keccak256(preimage)[12:].hex())


@dataclass(frozen=True)
class DerivedDeposit:
    """The address that an agreement sends its order's money to, with all values on the way."""

    chain_id: int
    escrow_contract: str
    terms: Terms
    escrow_id: str
    implementation: str
    """The implementation of the deposit addresses of this escrow contract."""
    deposit_address: str


def derive_deposit(agreement: Mapping[str, Any]) -> DerivedDeposit:
    """Recomputes an order's deposit address without requests.

    The agreement gives the escrow's terms, these give the escrow's id, and the id gives the address (CREATE2, EIP-1014, of a
    minimal clone, EIP-1167). If the contract at `escrow_contract` has the escrow's code, money at that address can only
    go into the escrow of exactly these terms, or back to their buyer. Compare the code on the chain.

    Args:
        agreement: The whole JSON document of `orders.get_agreement`.

    Raises:
        ValueError: with the invalid members of the agreement
    """
    read = _Reader(agreement)
    read("version", lambda value: value == 1 and not isinstance(value, bool), "must be 1")
    chain = read("chain", _matches(r"eip155:[1-9][0-9]{0,15}"), "must be a CAIP-2 id of an EVM chain")
    escrow_contract = read.address("escrow_contract")
    buyer, provider, arbiter = (read.address(name) for name in ("buyer", "provider", "arbiter"))
    token = read("token", lambda value: isinstance(value, Mapping), "must be an object")
    token_address = _Reader(token or {}, read.faults, "token.").address("address")
    amount = read(
        "amount_base_units",
        lambda value: _matches(r"[1-9][0-9]{0,38}")(value) and int(value) < 2**128,
        "must be a whole number of base units that fits uint128",
    )
    fund_by = read.whole("fund_by", 2**48, least=1)
    delivery, acceptance, dispute, appeal = (
        read.whole(f"{name}_window_seconds", 2**32)
        for name in ("delivery", "acceptance", "dispute", "appeal")
    )
    if read.faults:
        raise ValueError("This is no agreement: " + "; ".join(read.faults) + ".")
    order_hash = digest_of(agreement)
    terms = Terms(
        buyer,
        provider,
        token_address,
        int(amount),
        fund_by,
        delivery,
        acceptance,
        dispute,
        appeal,
        arbiter,
        order_hash,
    )
    chain_id = int(chain.removeprefix("eip155:"))
    escrow_id = escrow_id_of(chain_id, escrow_contract, terms)
    implementation = deposit_implementation_of(escrow_contract)
    return DerivedDeposit(
        chain_id,
        escrow_contract,
        terms,
        escrow_id,
        implementation,
        deposit_address_of(escrow_contract, implementation, escrow_id),
    )


class _Reader:
    """Reads members, and records their faults."""

    def __init__(self, values: Mapping[str, Any], faults: list[str] | None = None, prefix: str = "") -> None:
        self._values = values if isinstance(values, Mapping) else {}
        self._prefix = prefix
        self.faults: list[str] = [] if faults is None else faults

    def __call__(self, name: str, is_good: Callable[[Any], bool], otherwise: str) -> Any:
        value = self._values.get(name)
        if is_good(value):
            return value
        self.faults.append(f"{self._prefix}{name} {otherwise}")
        return None

    def address(self, name: str) -> Any:
        return self(name, is_checksummed, "must be an address in its EIP-55 form")

    def whole(self, name: str, end: int, *, least: int = 0) -> Any:
        def fits(value: Any) -> bool:
            return isinstance(value, int) and not isinstance(value, bool) and least <= value < end

        return self(name, fits, f"must be a whole number from {least} on, below {end}")


def _matches(pattern: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None
