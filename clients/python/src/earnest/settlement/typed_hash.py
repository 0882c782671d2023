"""The hash of typed data (EIP-712) that a signature is made over."""

from __future__ import annotations

from typing import Any, Mapping

from . import abi
from .digest import keccak256
from .typed_data import TypedData


def hash_typed_data(data: TypedData) -> bytes:
    """Hashes typed data whose members are plain values, as all of the escrow's are."""
    domain = _hash_struct(data["types"]["EIP712Domain"], "EIP712Domain", data["domain"])
    name = data["primaryType"]
    return keccak256(b"\x19\x01" + domain + _hash_struct(data["types"][name], name, data["message"]))


def _hash_struct(fields: list[dict[str, str]], name: str, values: Mapping[str, Any]) -> bytes:
    members = ",".join(f"{field['type']} {field['name']}" for field in fields)
    words = [_word(field["type"], values[field["name"]]) for field in fields]
    return keccak256(keccak256(f"{name}({members})".encode()) + b"".join(words))


def _word(kind: str, value: Any) -> bytes:
    if kind == "string":
        return keccak256(str(value).encode())
    if kind in ("address", "bytes32"):
        return abi.from_hex(value).rjust(32, b"\0")
    if kind == "bool":
        return int(bool(value)).to_bytes(32, "big")
    if kind.startswith("uint"):
        return int(value).to_bytes(32, "big")
    raise TypeError(f"Typed data with a member of the type {kind} is not hashed here.")
