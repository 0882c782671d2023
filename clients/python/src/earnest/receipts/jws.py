"""The checks of x402 receipts and offers, as flows over the issuer's pages."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Mapping

from .._core.flow import Flow
from .errors import Rejection
from .issuer import Issuer, expected_issuer, resolve_url
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
from .reading import (
    X402_OFFER,
    X402_RECEIPT,
    Check,
    decode_base64url,
    is_exactly,
    is_text,
    is_whole,
    parse_json,
    read_shape,
)
from .result import Settings, VerifiedOffer, VerifiedX402Receipt
from .signed import assert_past, assert_signature
from .status import ask_status, hash_jws

_MOST_JWS = 16_384
_JWS_HEADER: dict[str, Check] = {"alg": is_exactly("EdDSA"), "kid": is_text(640)}
_ENVELOPE: dict[str, Check] = {"format": is_exactly("jws"), "signature": lambda value: isinstance(value, str)}


def check_x402_receipt(jws: Any, settings: Settings, memo: Memo | None = None) -> Flow[VerifiedX402Receipt]:
    memo = memo or Memo()
    payload, key, key_set, text = yield from _read_jws(jws, "x402_receipt", X402_RECEIPT, settings, memo)
    at = datetime.fromtimestamp(payload["issuedAt"], timezone.utc)
    assert_key_valid_at(key, at)
    assert_past(at, settings.time)
    assert_uncompromised(key)
    name = ("x402_sha256", hash_jws(text))
    reason = yield from ask_status(key_set, name, settings.status, settings.time, settings.limits, memo)
    return VerifiedX402Receipt(
        issuer=key_set.issuer.name,
        key_id=key.id,
        receipt=payload,
        status="unknown" if reason else "good",
        status_reason=reason,
    )


def check_offer(jws: Any, settings: Settings) -> Flow[VerifiedOffer]:
    payload, key, key_set, _ = yield from _read_jws(jws, "x402_offer", X402_OFFER, settings, Memo())
    assert_key_valid_at(key, settings.time)
    assert_uncompromised(key)
    if settings.time.timestamp() > payload["validUntil"]:
        raise Rejection("offer_expired", f"The offer was valid until {payload['validUntil']} (Unix seconds).")
    return VerifiedOffer(issuer=key_set.issuer.name, key_id=key.id, offer=payload)


def _read_jws(
    value: Any, kind: str, fields: Mapping[str, Check], settings: Settings, memo: Memo
) -> Flow[tuple[dict[str, Any], IssuerKey, KeySet, str]]:
    """Reads a compact JWS of one kind, and checks the signature of the expected issuer's key and the resource of the
    issuer. The caller's expected values must be the signed ones. The key's time is not checked here."""
    issuer = expected_issuer(settings.issuer)
    header_text, payload_text, signature_text, jws = _split_jws(value, kind)
    header = _read_header(parse_json(_decode_text(header_text, "header")))
    content = parse_json(_decode_text(payload_text, "payload"))
    if _kind_of(content) != kind:
        raise Rejection("wrong_kind", f"It is not an {kind}.")
    payload = read_shape(content, fields)
    _assert_own_resource(payload["resourceUrl"], issuer)
    signature = decode_base64url(signature_text)
    if signature is None or len(signature) != 64:
        raise Rejection("invalid_encoding", "The signature is not base64url of 64 bytes.")
    assert_own_method(issuer, header["kid"])
    key_set = yield from memo.once("keys", lambda: fetch_key_set(issuer, settings.limits))
    key = find_key(key_set, header["kid"], "JsonWebKey")
    assert_signature(signature, jws.rpartition(".")[0].encode(), key)
    for name, expected in (settings.expected or {}).items():
        if name in payload and payload[name] != expected:
            raise Rejection("unexpected_value", f"{name} is {payload[name]}, expected {expected}.")
    return payload, key, key_set, jws


def _assert_own_resource(url: str, issuer: Issuer) -> None:
    # Both the text and the resolved URL are compared: dots in the path must not lead out.
    for one in (url, resolve_url(url)):
        if one is None or not one.startswith(f"{issuer.base_url}/"):
            raise Rejection("foreign_resource", f"It is {url}.")


def _split_jws(value: Any, kind: str) -> tuple[str, str, str, str]:
    if isinstance(value, Mapping):
        value = _unwrap(dict(value), kind)
    if not isinstance(value, str):
        raise Rejection("malformed", "The input is not a compact JWS.")
    if len(value) > _MOST_JWS:
        raise Rejection("too_large")
    if value.lstrip().startswith("{"):
        raise Rejection("wrong_kind", "The input is a JSON document, not a compact JWS.")
    parts = value.split(".")
    if len(parts) != 3:
        raise Rejection("malformed", "A compact JWS has three parts.")
    return parts[0], parts[1], parts[2], value


def _unwrap(envelope: dict[str, Any], kind: str) -> Any:
    """The envelope in which x402 carries a JWS. An offer's envelope may add `acceptIndex`, which is not signed."""
    more = {"acceptIndex": is_whole(0)} if kind == "x402_offer" and "acceptIndex" in envelope else {}
    try:
        return read_shape(envelope, {**_ENVELOPE, **more})["signature"]
    except Rejection:
        raise Rejection("wrong_kind", "The input is not a compact JWS.") from None


def _read_header(value: Any) -> dict[str, Any]:
    if isinstance(value, (dict, list)):
        if "crit" in value:
            raise Rejection("unsupported_critical_header")
        if isinstance(value, list) or value.get("alg") != "EdDSA":
            raise Rejection("unsupported_algorithm")
    return read_shape(value, _JWS_HEADER)


def _kind_of(payload: Any) -> str | None:
    """Offers and receipts share one JWS form without a type, so their own fields must tell them apart."""
    if not isinstance(payload, dict):
        return None
    if {"scheme", "payTo", "validUntil"} & payload.keys():
        return "x402_offer"
    return "x402_receipt" if {"payer", "issuedAt"} & payload.keys() else None


def _decode_text(part: str, name: str) -> str:
    data = decode_base64url(part)
    if data is None:
        raise Rejection("invalid_encoding", f"The {name} is not canonical base64url.")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Rejection("malformed", f"The {name} is not UTF-8.") from None
