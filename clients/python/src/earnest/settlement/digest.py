from __future__ import annotations

import hashlib
import re
from decimal import Decimal
from typing import Any

import rfc8785
from Crypto.Hash import keccak

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


def canonical_json(value: Any) -> bytes:
    """The canonical JSON (RFC 8785) of a value, as UTF-8.

    Raises:
        TypeError: the value has no JSON form
    """
    try:
        return rfc8785.dumps(_as_numbers(value))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise TypeError(f"This value has no JSON form: {error}.") from error


def _as_numbers(value: Any) -> Any:
    """Whole numbers beyond 2^53 as the doubles that JSON's readers make of them: Python reads them into ints."""
    if isinstance(value, dict):
        return {name: _as_numbers(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_numbers(member) for member in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        try:
            number = float(value)
        except OverflowError as error:
            raise TypeError(f"This value has no JSON form: {error}.") from error
        # A double that has other digits would be the form of another number.
        if int(Decimal(repr(number))) != value:
            raise TypeError(f"This value has no JSON form: {value} loses digits. Write it as text.")
        return number
    return value


def digest_of(value: Any) -> str:
    """SHA-256 over the canonical JSON of a value: how agreements, schemas, inputs and outputs are named."""
    return "0x" + hashlib.sha256(canonical_json(value)).hexdigest()


def hash_of_text(text: str) -> str:
    """What the chain calls a reason or a ruling by: the SHA-256 of its UTF-8."""
    return "0x" + hashlib.sha256(text.encode()).hexdigest()


def keccak256(data: bytes) -> bytes:
    """Ethereum's hash, which is not the SHA3-256 of Python's hashlib."""
    return keccak.new(digest_bits=256, data=data).digest()


def checksum_address(address: str) -> str:
    """An address with the checksum in its letters' case (EIP-55).

    Raises:
        ValueError: it is no address
    """
    if not _ADDRESS.fullmatch(address):
        raise ValueError(f"{address!r} is no address.")
    digits = address[2:].lower()
    digest = keccak256(digits.encode()).hex()
    return "0x" + "".join(
        letter.upper() if int(nibble, 16) > 7 else letter
        for letter, nibble in zip(digits, digest, strict=False)
    )


def is_checksummed(address: object) -> bool:
    """Whether something is an address in its EIP-55 form."""
    return (
        isinstance(address, str)
        and _ADDRESS.fullmatch(address) is not None
        and checksum_address(address) == address
    )
