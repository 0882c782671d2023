"""The issuer's list of revoked receipts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from typing_extensions import TypeAlias

from .._core.flow import Flow, NoAnswer
from .errors import RECEIPT_ERRORS, Rejection
from .issuer import STATUS_LIST, is_url
from .keyset import (
    KeySet,
    Limits,
    Memo,
    assert_key_valid_at,
    assert_uncompromised,
    fetch_text,
    find_key,
    find_service,
)
from .reading import (
    Check,
    has_shape,
    is_exactly,
    is_hash,
    is_issuer,
    is_time,
    or_none,
    read_shape,
    time_of,
)
from .signed import assert_past, assert_proof, read_proof, read_typed

_MOST_BYTES = 1_048_576

StatusPolicy: TypeAlias = Literal["ask", "require", "skip"]
"""`ask` reports an unavailable list, `require` fails without the list, `skip` does not read it."""

_REVOCATION = has_shape({"id": is_url, "revoked_at": is_time, "x402_sha256": or_none(is_hash)})
_LIST: dict[str, Check] = {
    "type": is_exactly("ReceiptStatusList"),
    "version": is_exactly(1),
    "issuer": is_issuer,
    "issued_at": is_time,
    "valid_until": is_time,
    "revoked": lambda value: isinstance(value, list) and all(map(_REVOCATION, value)),
}


@dataclass(frozen=True)
class StatusReason:
    """The reason for which the revocation status is unknown."""

    code: str
    message: str


def hash_jws(jws: str) -> str:
    """Returns the list's name of an x402 receipt, which has no id: the SHA-256 of its compact JWS."""
    return "0x" + hashlib.sha256(jws.encode()).hexdigest()


def ask_status(
    key_set: KeySet, name: tuple[str, str], policy: StatusPolicy, now: datetime, limits: Limits, memo: Memo
) -> Flow[StatusReason | None]:
    """Looks up a receipt in the list of the issuer's DID document.

    None if the receipt is not revoked. Raises `receipt_revoked` for a revoked receipt, and the reason for an
    unavailable list that is required.

    Args:
        name: The member of the list's entries that identifies the receipt, and its value.
    """
    if policy == "skip":
        return StatusReason("status_not_asked", RECEIPT_ERRORS["status_not_asked"])
    try:
        revoked = yield from memo.once("status", lambda: _fetch_list(key_set, now, limits))
    except Rejection as rejection:
        if policy == "require":
            raise
        return StatusReason(rejection.code, str(rejection))
    for one in revoked:
        if one[name[0]] == name[1]:
            raise Rejection("receipt_revoked", f"The time of the revocation is {one['revoked_at']}.")
    return None


def _fetch_list(key_set: KeySet, now: datetime, limits: Limits) -> Flow[list[dict[str, Any]]]:
    url = find_service(key_set, STATUS_LIST)
    if url is None:
        raise Rejection("status_not_published")
    try:
        text = yield from fetch_text(url, limits, _MOST_BYTES)
    except NoAnswer as error:
        raise Rejection("status_unavailable", f"{url} could not be read: {error.reason}.") from error
    try:
        return _read_list(key_set, text, now)
    except Rejection as rejection:
        if rejection.code == "status_expired":
            raise
        raise Rejection("status_invalid", f"{rejection.code}: {rejection}") from rejection


def _read_list(key_set: KeySet, text: str, now: datetime) -> list[dict[str, Any]]:
    statement = read_typed(text, "ReceiptStatusList", _MOST_BYTES)
    signed_proof = statement.pop("proof", None)
    read_shape(statement, _LIST)
    proof = read_proof(signed_proof)
    if statement["issuer"] != key_set.issuer.name:
        raise Rejection("foreign_issuer", f"It is {statement['issuer']}.")
    key = find_key(key_set, proof["verificationMethod"], "Multikey")
    assert_proof(statement, proof, key)
    assert_uncompromised(key)
    for at in (time_of(statement["issued_at"]), time_of(proof["created"])):
        assert_key_valid_at(key, at)
        assert_past(at, now)
    if now > time_of(statement["valid_until"]):
        raise Rejection("status_expired", f"It was valid until {statement['valid_until']}.")
    revoked: list[dict[str, Any]] = statement["revoked"]
    return revoked
