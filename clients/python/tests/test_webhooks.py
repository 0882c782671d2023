import base64
import hashlib
import hmac
import json
from typing import Any

import pytest
from vectors import read_vectors

from earnest.webhooks import (
    WebhookSignatureError,
    read_webhook,
    verify_standard_webhook,
    verify_webhook,
)

cases = read_vectors("protocol/webhooks/vectors.json")["cases"]
secret = "whsec_/41athkDmFAKnuXTxEinssegc/Gs6o7Q6ARdTyKa6vE="
now = 1_790_000_000
body = json.dumps({"id": "whd_1", "event_id": "evt_1", "type": "order.funded", "note": "für dich"}).encode()


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in cases])
def test_vectors(case: dict[str, Any]) -> None:
    raw = base64.b64decode(case["body_base64"]) if "body_base64" in case else case["body"].encode()
    assert verify_webhook(raw, case["header"], case["secret"], now=case["now"]) is case["valid"]
    if "body" in case and "\ud800" not in case["body"]:
        assert verify_webhook(case["body"], case["header"], case["secret"], now=case["now"]) is case["valid"]


def own_header(key: str = secret, at: int = now, content: bytes = body) -> str:
    mac = hmac.new(key.encode(), f"{at}.".encode() + content, hashlib.sha256).hexdigest()
    return f"t={at},v1={mac}"


def standard_headers(key: str = secret, at: int = now, content: bytes = body) -> dict[str, str]:
    mac = hmac.new(base64.b64decode(key[6:]), f"whd_1.{at}.".encode() + content, hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(mac).decode()
    return {"Webhook-Id": "whd_1", "Webhook-Timestamp": str(at), "Webhook-Signature": signature}


def test_reads_either_family_of_headers() -> None:
    assert read_webhook(body, {"X-Service-Signature": own_header()}, secret, now=now)["id"] == "whd_1"
    assert read_webhook(body, [("x-service-signature", own_header())], secret, now=now)["id"] == "whd_1"
    assert read_webhook(body, standard_headers(), secret, now=now)["event_id"] == "evt_1"


def test_takes_either_secret_while_one_replaces_another() -> None:
    old = "whsec_" + base64.b64encode(b"o" * 32).decode()
    for headers in ({"x-service-signature": own_header(old)}, standard_headers(old)):
        assert read_webhook(body, headers, [secret, old], now=now)["id"] == "whd_1"
        with pytest.raises(WebhookSignatureError):
            read_webhook(body, headers, secret, now=now)
        with pytest.raises(WebhookSignatureError):
            read_webhook(body, headers, [], now=now)


def test_a_bad_own_signature_is_not_made_good_by_a_standard_one() -> None:
    headers = {**standard_headers(), "x-service-signature": own_header(at=now - 301)}
    with pytest.raises(WebhookSignatureError):
        read_webhook(body, headers, secret, now=now)


def test_standard_headers_that_are_not_good() -> None:
    good = standard_headers()
    assert verify_standard_webhook(body, good, secret, now=now)
    both = f"v1,AAAA {good['Webhook-Signature']} v2,x"
    assert verify_standard_webhook(body, {**good, "Webhook-Signature": both}, secret, now=now)
    changes: list[dict[str, str]] = [
        {"Webhook-Id": "whd_2"},
        {"Webhook-Id": ""},
        {"Webhook-Timestamp": str(now + 1)},
        {"Webhook-Timestamp": f" {now}"},
        {"Webhook-Timestamp": f"{now}\n"},
        {"Webhook-Timestamp": "٣"},
        {"Webhook-Signature": ""},
        {"Webhook-Signature": good["Webhook-Signature"][3:]},
        {"Webhook-Signature": good["Webhook-Signature"].replace("v1,", "v2,")},
    ]
    for change in changes:
        assert not verify_standard_webhook(body, {**good, **change}, secret, now=now), change
    assert not verify_standard_webhook(body + b" ", good, secret, now=now)
    for other in ("", "whsec_", "whsec_???", "whsec_" + base64.b64encode(b"x" * 32).decode()):
        assert not verify_standard_webhook(body, good, other, now=now)
    for late in (now + 301, now - 301):
        assert not verify_standard_webhook(body, good, secret, now=late)
    assert not verify_standard_webhook(body, good, secret)
    assert not verify_standard_webhook(body, [*good.items(), *good.items()], secret, now=now)
