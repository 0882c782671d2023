"""The entries of the log, and the proofs of their inclusion (c2sp.org/tlog-proof)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Literal, Mapping

from ..receipts.errors import Rejection
from ..receipts.reading import Check, is_exactly, is_hash, is_whole, matches, parse_json, read_shape
from ..settlement.digest import canonical_json, digest_of
from .errors import LogRejection
from .merkle import hash_leaf, verify_inclusion
from .note import (
    MOST_NOTE,
    Checkpoint,
    decode_base64,
    decode_hash,
    open_checkpoint,
    read_decimal,
    read_text,
)

_MOST_ENTRY = 1024
MOST_PROOF = MOST_NOTE + 98_304
"""The most bytes of a proof."""
_MOST_HASHES = 63
_HEADER = "c2sp.org/tlog-proof@v1"
_is_receipt = matches(r"rcp_[0-9a-z]{1,64}")
_is_time = matches(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_FIELDS: dict[str, dict[str, Check]] = {
    "receipt": {"receipt": _is_receipt, "document": is_hash},
    "revocation": {"receipt": _is_receipt, "revoked_at": _is_time},
    "key": {"seq": is_whole(1), "entry": is_hash},
}


@dataclass(frozen=True)
class VerifiedEntry:
    """An entry in the tree of a trusted checkpoint."""

    entry: dict[str, Any]
    """The content of the leaf."""
    index: int
    checkpoint: Checkpoint
    valid: Literal[True] = True


@dataclass(frozen=True)
class Proof:
    extra: bytes | None
    """The exact bytes of the entry in this log."""
    index: int
    hashes: list[bytes]
    """The hashes from the leaf's sibling to the root's child."""
    checkpoint: str
    """The signed note."""


def decode_entry(content: bytes) -> dict[str, Any]:
    """Reads a leaf's bytes. Raises `malformed_entry` unless they are an entry in its only form."""
    if len(content) > _MOST_ENTRY:
        raise LogRejection("malformed_entry", f"It has {len(content)} bytes.")
    try:
        entry = parse_json(content.decode())
        kind = entry.get("kind") if isinstance(entry, dict) else None
        fields = dict(_FIELDS[kind]) if isinstance(kind, str) and kind in _FIELDS else {}
        if kind == "receipt" and "x402" in entry:
            fields["x402"] = is_hash
        read_shape(entry, {"kind": is_exactly(*_FIELDS), "v": is_exactly(1), **fields})
    except (UnicodeDecodeError, Rejection):
        raise LogRejection("malformed_entry") from None
    if canonical_json(entry) != content:
        raise LogRejection("malformed_entry", "It is not canonical (RFC 8785).")
    return dict(entry)


def receipt_entry(receipt: str, document: Mapping[str, Any], x402: str | None) -> dict[str, Any]:
    """Returns the entry of a receipt: the hashes of its signed document, and of its x402 receipt if it has one."""
    entry = {"kind": "receipt", "v": 1, "receipt": receipt, "document": digest_of(document)}
    return {**entry, "x402": _hash_jws(x402)} if x402 else entry


def parse_proof(given: str | bytes) -> Proof:
    """Reads a proof without checking anything. Raises `malformed`, `too_large` or `size_too_large`."""
    text = read_text(given, MOST_PROOF)
    head, blank, checkpoint = text.partition("\n\n")
    if not blank:
        raise LogRejection("malformed", "No blank line comes before the checkpoint.")
    first, *lines = head.split("\n")
    if first != _HEADER:
        raise LogRejection("malformed", f"It does not begin with {_HEADER}.")
    extra = None
    if lines and lines[0].startswith("extra "):
        extra = decode_base64(lines.pop(0)[len("extra ") :])
    if not lines or not lines[0].startswith("index "):
        raise LogRejection("malformed", "It has no index line.")
    index = lines.pop(0)[len("index ") :]
    if len(lines) > _MOST_HASHES:
        raise LogRejection("too_large", f"It has {len(lines)} hashes.")
    return Proof(extra, read_decimal(index), [decode_hash(line) for line in lines], checkpoint)


def open_proof(proof: Proof, entry: bytes, vkey: str | None) -> Checkpoint:
    """Checks that the log signed the checkpoint, and that its tree has an entry's bytes."""
    checkpoint = open_checkpoint(proof.checkpoint, vkey)
    size, root = checkpoint.size, checkpoint.root
    if not verify_inclusion(hash_leaf(entry), proof.index, size, root, proof.hashes):
        raise LogRejection("not_included", f"It is to be entry {proof.index} of {size}.")
    return checkpoint


def open_receipt_proof(
    given: str | bytes,
    receipt: str | None,
    document: Mapping[str, Any] | None,
    x402: str | None,
    vkey: str | None,
) -> VerifiedEntry:
    """Checks that a proof is of this receipt, and has the hashes of the receipt's given parts."""
    proof = parse_proof(given)
    if document is None and not x402:
        raise LogRejection("other_entry", "Nothing of the receipt was given.")
    receipt = receipt or id_of(document)
    if proof.extra is not None:
        content = proof.extra
    elif document is not None and receipt is not None:
        content = canonical_json(receipt_entry(receipt, document, x402))
    else:
        raise LogRejection("malformed_entry", "The proof has no extra line.")
    entry = decode_entry(content)
    if entry["kind"] != "receipt":
        raise LogRejection("other_entry", f"It is a {entry['kind']}.")
    if receipt is not None and entry["receipt"] != receipt:
        raise LogRejection("other_entry", f"It is about {entry['receipt']}.")
    if document is not None and entry["document"] != digest_of(document):
        raise LogRejection("other_entry", "The hash of the document differs.")
    if x402 and entry.get("x402") != _hash_jws(x402):
        raise LogRejection("other_entry", "The hash of the x402 receipt differs.")
    return VerifiedEntry(entry, proof.index, open_proof(proof, content, vkey))


def id_of(document: Mapping[str, Any] | None) -> str | None:
    """Returns the receipt's id at the end of its document's URL."""
    url = document.get("id") if document is not None else None
    match = re.search(r"/(rcp_[0-9a-z]{1,64})\Z", url, re.ASCII) if isinstance(url, str) else None
    return match[1] if match else None


def read_parts(document: Any, jws: Any) -> tuple[Mapping[str, Any] | None, str | None]:
    """Returns the signed parts of a receipt. Malformed parts are omitted, and the verifier of receipts reports them."""
    if isinstance(document, str):
        try:
            document = parse_json(document)
        except Rejection:
            document = None
    signed = jws.get("signature") if isinstance(jws, Mapping) else jws
    return (
        document if isinstance(document, Mapping) else None,
        signed if isinstance(signed, str) else None,
    )


def _hash_jws(jws: str) -> str:
    return "0x" + hashlib.sha256(jws.encode()).hexdigest()
