"""The signed content of a document, its required signer, and the check of the signature."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Mapping

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ..settlement.digest import canonical_json
from .errors import Rejection
from .reading import PROOF, decode_base58, parse_json, read_shape

_CLOCK_SKEW = timedelta(seconds=60)
"""The most seconds by which another clock may be ahead."""


@dataclass(frozen=True)
class VerifyingKey:
    id: str
    """The name of the kind in messages."""
    bytes: bytes


def read_typed(value: Any, kind: str, most_characters: int) -> dict[str, Any]:
    """Reads a signed document from text or parsed JSON. Refuses another type with `wrong_kind`."""
    if isinstance(value, str):
        if len(value) > most_characters:
            raise Rejection("too_large")
        value = parse_json(value)
    if not isinstance(value, Mapping) or value.get("type") != kind:
        raise Rejection("wrong_kind", f"Its type is not {kind}.")
    return dict(value)


def read_proof(value: Any) -> dict[str, Any]:
    """Reads a proof in its only accepted form."""
    if value is None:
        raise Rejection("missing_proof")
    if not isinstance(value, dict):
        raise Rejection("invalid_proof", "The proof is not an object.")
    if (value.get("type"), value.get("cryptosuite")) != ("DataIntegrityProof", "eddsa-jcs-2022"):
        raise Rejection("unsupported_cryptosuite")
    if value.get("proofPurpose") != "assertionMethod":
        raise Rejection("wrong_proof_purpose")
    return read_shape(value, PROOF, "invalid_proof")


def proof_input(statement: Mapping[str, Any], options: Mapping[str, Any]) -> bytes:
    """Returns the 64 bytes that an eddsa-jcs-2022 proof signs: the hash of the proof without its value, then the hash
    of the document without its proof. Source: https://www.w3.org/TR/vc-di-eddsa/#eddsa-jcs-2022"""
    return b"".join(hashlib.sha256(canonical_json(part)).digest() for part in (options, statement))


def assert_proof(statement: Mapping[str, Any], proof: Mapping[str, Any], key: VerifyingKey) -> None:
    """Raises unless the proof is of the key and of this statement."""
    value = proof["proofValue"]
    signature = decode_base58(value[1:]) if value.startswith("z") else None
    if signature is None or len(signature) != 64:
        raise Rejection("invalid_encoding", "proofValue is not base58btc of 64 bytes.")
    options = {name: member for name, member in proof.items() if name != "proofValue"}
    assert_signature(signature, proof_input(statement, options), key)


def assert_signature(signature: bytes, message: bytes, key: VerifyingKey) -> None:
    """Raises unless the signature is of the key (RFC 8032)."""
    try:
        Ed25519PublicKey.from_public_bytes(key.bytes).verify(signature, message)
    except (InvalidSignature, ValueError):
        raise Rejection("invalid_signature", f"The key is {key.id}.") from None


def assert_past(at: datetime, now: datetime) -> None:
    """Raises if a time is in the future, beyond the tolerance of clocks."""
    if at > now + _CLOCK_SKEW:
        raise Rejection("issued_in_future", f"It is {at.isoformat()}.")
