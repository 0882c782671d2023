from __future__ import annotations

import hashlib
import re
from decimal import Decimal
from typing import Any

import rfc8785
from Crypto.Hash import keccak

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


def canonical_json(value: Any) -> bytes:
    """Returns the canonical JSON (RFC 8785) of a value as UTF-8.

    Raises:
        TypeError: the value has no JSON form
    """
    try:
        return rfc8785.dumps(_as_numbers(value))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise TypeError(f"This value has no JSON form: {error}.") from error


def _as_numbers(value: Any) -> Any:
    """Converts integers beyond 2^53 to the doubles that JSON readers use: Python reads them into ints."""
    if isinstance(value, dict):
        return {name: _as_numbers(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_numbers(member) for member in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        try:
            number = float(value)
        except OverflowError as error:
            raise TypeError(f"This value has no JSON form: {error}.") from error
        # A double with other digits would be another number.
        if int(Decimal(repr(number))) != value:
            raise TypeError(f"This value has no JSON form: {value} loses digits. Write it as text.")
        return number
    return value


def digest_of(value: Any) -> str:
    """Returns the SHA-256 over the canonical JSON of a value, which names agreements, schemas, inputs and outputs."""
    return "0x" + hashlib.sha256(canonical_json(value)).hexdigest()


def hash_of_text(text: str) -> str:
    """Returns the chain's name of a reason or a ruling: the SHA-256 of its UTF-8."""
    return "0x" + hashlib.sha256(text.encode()).hexdigest()


def keccak256(data: bytes) -> bytes:
    """Returns Ethereum's hash, which differs from the SHA3-256 of hashlib."""
    return keccak.new(digest_bits=256, data=data).digest()


def checksum_address(address: str) -> str:
    """Returns an address with its EIP-55 checksum.

    Raises:
        ValueError: it is not an address
    """
    if not _ADDRESS.fullmatch(address):
        raise ValueError(f"{address!r} is not an address.")
    digits = address[2:].lower()
    digest = keccak256(digits.encode()).hex()
    return "0x" + "".join(
        letter.upper() if int(nibble, 16) > 7 else letter
        for letter, nibble in zip(digits, digest, strict=False)
    )


def is_checksummed(address: object) -> bool:
    """Whether a value is an address in its EIP-55 form."""
    return (
        isinstance(address, str)
        and _ADDRESS.fullmatch(address) is not None
        and checksum_address(address) == address
    )
