"""The keys of an issuer, from its DID document."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Literal, TypeVar

from .._core.flow import Flow, HttpAnswer, NoAnswer, Send
from .._core.times import read_time
from .errors import Rejection
from .issuer import Issuer
from .reading import decode_base64url, decode_multikey, is_time, parse_json
from .signed import VerifyingKey

T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    timeout: float = 5.0
    """The timeout of a whole response, in seconds."""
    max_bytes: int | None = None
    """The most bytes of the body. Default: 64 kB for keys and 1 MB for lists."""


@dataclass(frozen=True)
class KeySet:
    """The keys and the service addresses of an issuer's DID document."""

    issuer: Issuer
    methods: list[dict[str, Any]]
    assertion_method: list[Any]
    services: list[dict[str, Any]]
    authentication: list[Any]
    """The methods that sign the issuer's own requests."""


@dataclass(frozen=True)
class IssuerKey(VerifyingKey):
    valid_from: datetime | None
    valid_until: datetime | None
    compromised_since: datetime | None
    """The time of the compromise, if the key is compromised."""


class Memo:
    """The read pages of an issuer, so that many receipts need one request."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}

    def once(self, name: str, make: Callable[[], Flow[T]]) -> Flow[T]:
        if name not in self._known:
            try:
                self._known[name] = (yield from make()), None
            except Rejection as rejection:
                self._known[name] = None, rejection
        value, refused = self._known[name]
        if refused is not None:
            raise refused
        return value  # type: ignore[no-any-return]


def fetch_text(url: str, limits: Limits, usual_bytes: int) -> Flow[str]:
    """Fetches a small text. Raises NoAnswer for any status but 200, a redirect, and a response that is too large or too
    slow."""
    answer: HttpAnswer = yield Send(
        verb="GET",
        url=url,
        headers={"accept": "application/json"},
        timeout=limits.timeout,
        max_bytes=limits.max_bytes or usual_bytes,
    )
    if 300 <= answer.status < 400:
        raise NoAnswer("redirects are not followed")
    if answer.status != 200:
        raise NoAnswer(f"the status is {answer.status}")
    try:
        return answer.body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NoAnswer("it is not UTF-8") from error


def assert_own_method(issuer: Issuer, method_id: str) -> None:
    """Raises unless a method belongs to the issuer, so that nothing is fetched for a foreign one."""
    if not method_id.startswith(f"{issuer.name}#"):
        raise Rejection("foreign_key", f"It is {method_id}.")


def fetch_key_set(issuer: Issuer, limits: Limits) -> Flow[KeySet]:
    """Fetches the expected issuer's DID document."""
    try:
        text = yield from fetch_text(issuer.did_document_url, limits, 65_536)
    except NoAnswer as error:
        raise Rejection(
            "keys_unavailable", f"{issuer.did_document_url} could not be read: {error.reason}."
        ) from error
    try:
        document = parse_json(text)
    except Rejection:
        document = None
    if not isinstance(document, dict) or document.get("id") != issuer.name:
        raise Rejection("invalid_key_document", f"{issuer.did_document_url} does not describe {issuer.name}.")
    methods, assertions = document.get("verificationMethod"), document.get("assertionMethod")
    if not isinstance(methods, list) or not isinstance(assertions, list) or not all(map(_is_method, methods)):
        raise Rejection("invalid_key_document", "The document lists no valid methods.")
    listed = document.get("service")
    services = [one for one in listed if _is_service(one)] if isinstance(listed, list) else []
    purposes = document.get("authentication")
    return KeySet(issuer, methods, assertions, services, purposes if isinstance(purposes, list) else [])


def _is_method(method: Any) -> bool:
    if not isinstance(method, dict):
        return False
    jwk = method.get("publicKeyJwk", {"kty": ""})
    texts = [method.get(name) for name in ("id", "type", "controller")]
    texts += [method[name] for name in ("publicKeyMultibase",) if name in method]
    if isinstance(jwk, dict):
        texts += [jwk.get("kty"), *(jwk[name] for name in ("crv", "x") if name in jwk)]
    times = [method[name] for name in ("validFrom", "validUntil", "revoked") if name in method]
    return isinstance(jwk, dict) and all(isinstance(text, str) for text in texts) and all(map(is_time, times))


def _is_service(service: Any) -> bool:
    if not isinstance(service, dict) or not isinstance(service.get("serviceEndpoint"), str):
        return False
    kind = service.get("type")
    return isinstance(kind, str) or (isinstance(kind, list) and all(isinstance(one, str) for one in kind))


def find_service(key_set: KeySet, kind: str) -> str | None:
    """Returns the URL of a service of the issuer; None if the document has none on the issuer's own host."""
    for service in key_set.services:
        if kind == service["type"] or (isinstance(service["type"], list) and kind in service["type"]):
            endpoint: str = service["serviceEndpoint"]
            return endpoint if endpoint.startswith(f"{key_set.issuer.base_url}/") else None
    return None


Form = Literal["JsonWebKey", "Multikey"]


Purpose = Literal["assertion_method", "authentication"]


def find_key(key_set: KeySet, method_id: str, form: Form, purpose: Purpose = "assertion_method") -> IssuerKey:
    """Returns the named method of the issuer.

    The name may come from a receipt. It only selects one of the issuer's methods, and each kind of receipt uses one
    form of key. Requests are signed by keys with the purpose `authentication`.
    """
    assert_own_method(key_set.issuer, method_id)
    method = _find_method(key_set, method_id)
    listed = key_set.authentication if purpose == "authentication" else key_set.assertion_method
    if method is not None and method_id in listed:
        return _read_method(key_set, method, form, method_id)
    # A compromised key is listed for no purpose, and only as a Multikey.
    for revoked in (method, _find_method(key_set, f"{method_id}-mb")):
        if revoked is not None and "revoked" in revoked:
            return _read_method(key_set, revoked, form if revoked is method else "Multikey", method_id)
    raise Rejection("unknown_key", f"It is {method_id}.")


def _find_method(key_set: KeySet, method_id: str) -> dict[str, Any] | None:
    found = [method for method in key_set.methods if method["id"] == method_id]
    if len(found) > 1:
        raise Rejection("invalid_key_document", f"It lists {method_id} twice.")
    return found[0] if found else None


def _read_method(key_set: KeySet, method: dict[str, Any], form: Form, name: str) -> IssuerKey:
    if (method["type"], method["controller"]) != (form, key_set.issuer.name):
        raise Rejection("unknown_key", f"{method['id']} is not a {form} of the issuer's own.")
    if form == "Multikey":
        key = decode_multikey(method.get("publicKeyMultibase", ""))
    else:
        jwk = method.get("publicKeyJwk", {})
        is_okp = (jwk.get("kty"), jwk.get("crv")) == ("OKP", "Ed25519")
        key = decode_base64url(jwk.get("x", "")) if is_okp else None
    if key is None or len(key) != 32:
        raise Rejection("invalid_key_document", f"{method['id']} is not an Ed25519 {form}.")
    valid_from, valid_until, revoked = (
        read_time(method[member]) if member in method else None
        for member in ("validFrom", "validUntil", "revoked")
    )
    return IssuerKey(name, key, valid_from, valid_until, revoked)


def assert_key_valid_at(key: IssuerKey, at: datetime) -> None:
    """Raises unless the key was valid at the time of signing."""
    if key.valid_from and at < key.valid_from:
        raise Rejection("key_not_yet_valid", f"{key.id} is valid from {key.valid_from.isoformat()}.")
    if key.valid_until and at > key.valid_until:
        raise Rejection("key_retired", f"{key.id} was retired at {key.valid_until.isoformat()}.")


def assert_uncompromised(key: IssuerKey) -> None:
    """Raises if the key is compromised, because its signatures prove nothing by themselves."""
    if key.compromised_since:
        raise Rejection(
            "key_compromised", f"{key.id} is compromised since {key.compromised_since.isoformat()}."
        )
