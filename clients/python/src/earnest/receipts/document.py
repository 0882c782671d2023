"""The check of a settlement document, and of other documents with such a proof, as a flow over the issuer's pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping

from .._core.flow import Flow
from .chain import confirm_flow, read_block_time
from .errors import Rejection
from .issuer import expected_issuer
from .keyset import (
    IssuerKey,
    KeySet,
    Memo,
    assert_key_valid_at,
    assert_own_method,
    assert_uncompromised,
    fetch_key_set,
    find_key,
)
from .reading import DOCUMENTS, Check, read_shape, time_of
from .result import Settings, VerifiedDocument
from .signed import assert_past, assert_proof, read_proof, read_typed
from .status import ask_status

_MOST_DOCUMENT = 65_536
_COMPACT_JWS = re.compile(r"[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]*\.[A-Za-z0-9_=-]*")


def check_document(document: Any, settings: Settings, memo: Memo | None = None) -> Flow[VerifiedDocument]:
    memo = memo or Memo()
    signed = yield from read_signed(document, "SettlementDocument", DOCUMENTS, settings, memo)
    statement, proof, key, key_set = signed.statement, signed.proof, signed.key, signed.key_set
    reason = yield from ask_status(
        key_set, ("id", statement["id"]), settings.status, settings.time, settings.limits, memo
    )
    result = VerifiedDocument(
        issuer=key_set.issuer.name,
        key_id=key.id,
        document={**statement, "proof": proof},
        claim=statement["claim"],
        status="unknown" if reason else "good",
        status_reason=reason,
        compromised_since=key.compromised_since,
    )
    yield from _assert_corroborated(result, key, settings)
    return result


@dataclass(frozen=True)
class Signed:
    """The content that the expected issuer signed, and the key."""

    statement: dict[str, Any]
    proof: dict[str, Any]
    key: IssuerKey
    key_set: KeySet


def read_signed(
    value: Any, kind: str, versions: Mapping[int, Mapping[str, Check]], settings: Settings, memo: Memo
) -> Flow[Signed]:
    """Reads a document of one kind with its proof, and checks the signer and the time."""
    issuer = expected_issuer(settings.issuer)
    if isinstance(value, str) and len(value) <= _MOST_DOCUMENT and _COMPACT_JWS.fullmatch(value.strip()):
        raise Rejection("wrong_kind", "The input is a compact JWS.")
    statement = read_typed(value, kind, _MOST_DOCUMENT)
    signed_proof = statement.pop("proof", None)
    version = statement.get("version")
    if type(version) is not int or version not in versions:
        raise Rejection("invalid_shape", "version: is not in its exact form")
    read_shape(statement, versions[version])
    if (statement.get("claim") == "part_released") != (statement.get("released_so_far") is not None):
        raise Rejection("invalid_shape", "released_so_far belongs to the claim part_released")
    proof = read_proof(signed_proof)
    if statement["issuer"] != issuer.name:
        raise Rejection("foreign_issuer", f"It is {statement['issuer']}.")
    assert_own_method(issuer, proof["verificationMethod"])
    key_set = yield from memo.once("keys", lambda: fetch_key_set(issuer, settings.limits))
    key = find_key(key_set, proof["verificationMethod"], "Multikey")
    assert_proof(statement, proof, key)
    for at in (time_of(statement["issued_at"]), time_of(proof["created"])):
        assert_key_valid_at(key, at)
        assert_past(at, settings.time)
    return Signed(statement, proof, key, key_set)


def _assert_corroborated(result: VerifiedDocument, key: IssuerKey, settings: Settings) -> Flow[None]:
    """Requires that the chain confirms a document of a compromised key.

    A thief of the key can write any time into a document. So the chain must have its event, of the caller's contract,
    from before the key was compromised.
    """
    since, chain = key.compromised_since, settings.chain
    if since is None:
        return
    document = result.document
    times = (time_of(document["issued_at"]), time_of(document["proof"]["created"]))
    if chain is None or chain.contract is None or any(at >= since for at in times):
        assert_uncompromised(key)
        return
    found = yield from confirm_flow(result.document, chain)
    if not found.agrees:
        raise Rejection("key_compromised", f"The chain does not confirm the document: {found.code}.")
    block_time = yield from read_block_time(chain, document["block_hash"])
    if block_time is None:
        raise Rejection("key_compromised", "The block's time could not be read.")
    if block_time >= since.timestamp():
        raise Rejection("key_compromised", "The event is not from before the compromise.")
