"""The verifier of webhook deliveries. It makes no requests, and needs only the standard library."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import math
import re
import time
from typing import Any, Iterable, Protocol, Sequence, Union, cast

from typing_extensions import TypeAlias

from ._generated import types
from .errors import EarnestError

__all__ = [
    "WebhookHeaders",
    "WebhookSignatureError",
    "read_webhook",
    "verify_standard_webhook",
    "verify_webhook",
]


class _Items(Protocol):
    def items(self) -> Iterable[tuple[str, str]]: ...


WebhookHeaders: TypeAlias = Union[_Items, Iterable["tuple[str, str]"]]
"""The headers of any framework: an object with `items()`, or pairs. The case of names does not matter."""

_TOLERANCE = 300
_DIGITS = re.compile(r"[0-9]+")
_BLANKS = " \t"
"""The white space that HTTP allows here. `strip` removes Unicode's spaces too."""


class WebhookSignatureError(EarnestError):
    """The delivery has no valid, recent signature by this secret. Answer 401 and do nothing else."""


def read_webhook(
    raw_body: bytes | str,
    headers: WebhookHeaders,
    secret: str | Sequence[str],
    *,
    now: float | None = None,
) -> types.WebhookEvent:
    """Verifies a delivery's signature, and returns the event.

    It uses `X-Service-Signature`, or the headers of Standard Webhooks if the first is missing.

    Args:
        raw_body: The received bytes. Parsed and rewritten JSON has another signature.
        secret: The secret `whsec_...`, or several secrets during a rotation.
        now: Unix seconds, for tests.

    Raises:
        WebhookSignatureError: the delivery must not be used
    """
    own = _values_of(headers, "x-service-signature")
    for one in [secret] if isinstance(secret, str) else secret:
        good = (
            verify_standard_webhook(raw_body, headers, one, now=now)
            if not own
            # A repeated header is refused, because a proxy and this verifier may read different values.
            else len(own) == 1 and verify_webhook(raw_body, own[0], one, now=now)
        )
        if good:
            return cast("types.WebhookEvent", json.loads(raw_body))
    raise WebhookSignatureError("The delivery is not signed with the endpoint's secret, or not now.")


def verify_webhook(
    raw_body: bytes | str, header: str | None, secret: str, *, now: float | None = None
) -> bool:
    """Whether `X-Service-Signature` matches the raw body, the secret and the time. False for anything else; never raises.

    Args:
        header: The received header, or None.
        now: Unix seconds, for tests.
    """
    try:
        pairs = [piece.split("=", 1) for piece in (header or "").split(",")]
        if not secret or any(len(pair) != 2 for pair in pairs):
            return False
        times = [value for name, value in pairs if name.strip(_BLANKS) == "t"]
        signatures = [value for name, value in pairs if name.strip(_BLANKS) == "v1"]
        if len(times) != 1 or not signatures or not _is_fresh(times[0], now):
            return False
        signed = times[0].encode() + b"." + _bytes_of(raw_body)
        expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        return any([_is_same(signature, expected) for signature in signatures])
    except Exception:
        return False


def verify_standard_webhook(
    raw_body: bytes | str, headers: WebhookHeaders, secret: str, *, now: float | None = None
) -> bool:
    """Whether `webhook-id`, `webhook-timestamp` and `webhook-signature` match the raw body, the secret and the time.

    False for anything else; never raises. Source: https://www.standardwebhooks.com
    """
    try:
        delivery = _header_of(headers, "webhook-id")
        timestamp = _header_of(headers, "webhook-timestamp")
        signatures = _header_of(headers, "webhook-signature")
        text = secret.removeprefix("whsec_")
        key = base64.b64decode(text, validate=True)
        # Several spellings decode to the same bytes. Only one of them is valid base64.
        if base64.b64encode(key).decode() != text:
            return False
        # Two headers are joined with a comma and a space.
        if not (delivery and timestamp and signatures and key) or ", " in signatures:
            return False
        if not _is_fresh(timestamp, now):
            return False
        signed = f"{delivery}.{timestamp}.".encode() + _bytes_of(raw_body)
        mac = hmac.new(key, signed, hashlib.sha256).digest()
        expected = "v1," + base64.b64encode(mac).decode()
        return any([_is_same(signature, expected) for signature in signatures.split(" ")])
    except Exception:
        return False


def _bytes_of(raw_body: bytes | str) -> bytes:
    return raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)


def _is_fresh(timestamp: str, now: float | None) -> bool:
    if not _DIGITS.fullmatch(timestamp):
        return False
    # The clock counts whole seconds, as the timestamp does.
    return abs(math.floor(time.time() if now is None else now) - float(timestamp)) <= _TOLERANCE


def _is_same(supplied: str, expected: str) -> bool:
    return hmac.compare_digest(supplied.encode(), expected.encode())


def _header_of(headers: Any, name: str) -> str | None:
    """Returns the value of a header that came once."""
    found = _values_of(headers, name)
    return found[0] if len(found) == 1 and isinstance(found[0], str) else None


def _values_of(headers: Any, name: str) -> list[Any]:
    """Returns all values of a header, whatever the case of its name."""
    pairs = headers.items() if hasattr(headers, "items") else headers
    return [value for key, value in pairs if key.lower() == name]
