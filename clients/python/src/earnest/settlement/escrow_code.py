"""The escrow contract's code. Anyone can deploy a contract with the escrow's interface; only the code proves the escrow."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Mapping

from . import abi
from .digest import keccak256
from .terms import deposit_implementation_of


@dataclass(frozen=True)
class Build:
    """The deployed code without its immutables, which are the words that the constructor writes into it."""

    size: int
    """The size in bytes."""
    sha256: str
    """The hash of the code with zeros for its immutables."""
    immutables: Mapping[str, tuple[int, ...]]
    """The byte positions of each immutable of 32 bytes."""


ESCROW = Build(
    22803,
    "2bca3e59243bc3f606722f349b58def4bd62da1da15782f9e916f5d8456e84b8",
    {
        "DEPOSIT_IMPLEMENTATION": (
            2876,
            5597,
            8169,
            9024,
            11867,
            18010,
        ),
        "_cachedDomainSeparator": (21996,),
        "_cachedChainId": (22185,),
        "_cachedThis": (21949,),
        "_hashedName": (22075,),
        "_hashedVersion": (22113,),
        "_name": (5232,),
        "_version": (5274,),
    },
)
DEPOSIT = Build(
    790,
    "5e154d5bf8fe406528a2e7968824899d92baddb775e6400cacf0c1b86d258926",
    {
        "ESCROW": (
            121,
            301,
        )
    },
)

_NAME, _VERSION = b"Earnest Escrow", b"1"
_DOMAIN_TYPE = b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"


def find_difference(chain_id: int, escrow_contract: str, escrow: bytes, deposit: bytes) -> str | None:
    """Compares the contract at an address, and the implementation of its deposit addresses, with those of this build.

    Args:
        escrow: The code at `escrow_contract`.
        deposit: The code at `deposit_implementation_of(escrow_contract)`.

    Returns:
        The difference as a sentence; None if there is none
    """
    implementation = deposit_implementation_of(escrow_contract)
    own, name, version = abi.encode(escrow_contract), keccak256(_NAME), keccak256(_VERSION)
    domain = keccak256(keccak256(_DOMAIN_TYPE) + name + version + abi.encode(chain_id) + own)
    values = {
        "DEPOSIT_IMPLEMENTATION": abi.encode(implementation),
        "_cachedDomainSeparator": domain,
        "_cachedChainId": abi.encode(chain_id),
        "_cachedThis": own,
        "_hashedName": name,
        "_hashedVersion": version,
        "_name": _short_string(_NAME),
        "_version": _short_string(_VERSION),
    }
    return _compare(escrow_contract, escrow, ESCROW, values) or _compare(
        implementation, deposit, DEPOSIT, {"ESCROW": own}
    )


def _compare(address: str, found: bytes, build: Build, values: Mapping[str, bytes]) -> str | None:
    if len(found) != build.size:
        return f"{address} has {len(found)} bytes of code, but this build has {build.size}"
    code = bytearray(found)
    for name, places in build.immutables.items():
        for at in places:
            if code[at : at + 32] != values[name]:
                return f"{address} has another {name}, at byte {at} of its code"
            code[at : at + 32] = bytes(32)
    if hashlib.sha256(code).hexdigest() != build.sha256:
        return f"{address} has other code than this build"
    return None


def _short_string(text: bytes) -> bytes:
    """Encodes a string as OpenZeppelin's ShortStrings do: its bytes from the left, its length in the last byte."""
    return text.ljust(31, b"\0") + bytes([len(text)])
