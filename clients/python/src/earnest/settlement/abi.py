"""The part of the contract ABI that the escrow's calls use: static words, and bytes."""

from __future__ import annotations

from typing import Union

from typing_extensions import TypeAlias

from .digest import keccak256

Value: TypeAlias = Union[str, int, bytes, "tuple[Value, ...]"]
"""An address or bytes32 in 0x-hex, a number, bytes, or a struct whose members are static."""


def encode(*values: Value) -> bytes:
    """Encodes arguments in sequence, as `abi.encode` does."""
    head: list[bytes] = []
    tail = b""
    length = sum(32 * _words(value) for value in values)
    for value in values:
        if isinstance(value, bytes):
            head.append(_word(length + len(tail)))
            tail += _word(len(value)) + value.ljust(-(-len(value) // 32) * 32, b"\0")
        else:
            head.append(_static(value))
    return b"".join(head) + tail


def encode_call(signature: str, *values: Value) -> str:
    """Encodes call data: the selector of a signature, such as `refund((address,uint128))`, and the arguments."""
    return "0x" + (keccak256(signature.encode())[:4] + encode(*values)).hex()


def _words(value: Value) -> int:
    return sum(_words(member) for member in value) if isinstance(value, tuple) else 1


def _static(value: Value) -> bytes:
    if isinstance(value, tuple):
        return b"".join(_static(member) for member in value)
    if isinstance(value, str):
        data = from_hex(value)
        # bytes32 is the only fixed bytes type in use, so a shorter value is an address.
        if len(data) not in (20, 32):
            raise ValueError(f"{value!r} is neither an address nor 32 bytes.")
        return data.rjust(32, b"\0")
    if isinstance(value, bytes):
        raise TypeError("A struct with bytes in it is not static.")
    return _word(value)


def _word(number: int) -> bytes:
    if number < 0:
        raise ValueError(f"{number} is negative.")
    return number.to_bytes(32, "big")


def from_hex(text: str) -> bytes:
    """Decodes the bytes of 0x-hex.

    Raises:
        ValueError: for any other text
    """
    if not text.startswith("0x"):
        raise ValueError(f"{text!r} does not begin with 0x.")
    return bytes.fromhex(text[2:])
