"""The check of an issuer's key log, against logs that are made here."""

from __future__ import annotations

import copy
import hashlib
import json
from datetime import datetime, timezone
from typing import Any, Callable

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from earnest.receipts import Verifier
from earnest.receipts.reading import decode_base58, encode_multikey
from earnest.receipts.signed import proof_input
from earnest.settlement import canonical_json

did = "did:web:market.example"
keys = [Ed25519PrivateKey.from_private_bytes(bytes([at] * 32)) for at in range(1, 5)]
names = [encode_multikey(key.public_key().public_bytes_raw()) for key in keys]
times = [f"2026-01-0{day}T00:00:00.000Z" for day in range(1, 10)]
Entry = dict[str, Any]


def base58(data: bytes) -> str:
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def add(
    log: list[Entry],
    signer: int,
    action: str,
    key: int,
    at: str,
    begin: str,
    end: str | None = None,
    since: str | None = None,
    **more: Any,
) -> list[Entry]:
    """The log with one more entry, signed by a key."""
    before = "0x" + hashlib.sha256(canonical_json(log[-1])).hexdigest() if log else None
    statement = {
        "seq": len(log) + 1,
        "at": at,
        "action": action,
        "kid": f"key-{key + 1}",
        "public_key": names[key],
        "not_before": begin,
        "retired_at": end,
        "compromised_since": since,
        "previous": before,
        **more,
    }
    options = {
        "type": "DataIntegrityProof",
        "cryptosuite": "eddsa-jcs-2022",
        "created": statement["at"],
        "verificationMethod": f"did:key:{names[signer]}#{names[signer]}",
        "proofPurpose": "assertionMethod",
    }
    signature = keys[signer].sign(proof_input(statement, options))
    assert decode_base58(base58(signature)) == signature
    return [*log, {**statement, "proof": {**options, "proofValue": "z" + base58(signature)}}]


first = add([], 0, "add", 0, times[0], times[0])
second = add(first, 0, "add", 1, times[1], times[2])
rotated = add(second, 0, "retire", 0, times[1], times[0], times[3])
compromised = add(rotated, 1, "compromise", 0, times[4], times[0], times[3], times[1])


def did_document(log: list[Entry]) -> dict[str, Any]:
    methods: list[dict[str, Any]] = []
    for entry in {entry["kid"]: entry for entry in log}.values():
        until = {} if entry["retired_at"] is None else {"validUntil": entry["retired_at"]}
        common = {"controller": did, "validFrom": entry["not_before"], **until}
        multikey = {
            "id": f"{did}#{entry['kid']}-mb",
            "type": "Multikey",
            "publicKeyMultibase": entry["public_key"],
            **common,
        }
        if entry["compromised_since"] is not None:
            methods.append({**multikey, "revoked": entry["compromised_since"]})
            continue
        raw = decode_base58(entry["public_key"][1:])
        assert raw is not None
        x = __import__("base64").urlsafe_b64encode(raw[2:]).rstrip(b"=").decode()
        jwk = {"kty": "OKP", "crv": "Ed25519", "x": x}
        methods += [
            {"id": f"{did}#{entry['kid']}", "type": "JsonWebKey", "publicKeyJwk": jwk, **common},
            multikey,
        ]
    return {
        "id": did,
        "verificationMethod": methods,
        "assertionMethod": [method["id"] for method in methods if "revoked" not in method],
        "service": [
            {"type": "KeyLog", "serviceEndpoint": "https://market.example/.well-known/earnest-key-log.json"}
        ],
    }


def check(
    entries: list[Entry], *, document: Any = None, pin: str | None = None, at: str = times[8], **more: Any
) -> Any:
    log = {"type": "KeyLog", "version": 1, "issuer": did, "entries": entries, **more}
    pages = {
        "/.well-known/did.json": document or did_document(entries),
        "/.well-known/earnest-key-log.json": log,
    }

    def handle(request: httpx2.Request) -> httpx2.Response:
        page = pages.get(request.url.path)
        return httpx2.Response(404) if page is None else httpx2.Response(200, json=page)

    now = datetime.fromisoformat(at.replace("Z", "+00:00")).astimezone(timezone.utc)
    with httpx2.Client(transport=httpx2.MockTransport(handle)) as http:
        verifier = Verifier(did, now=now, http=http)
        fetched = verifier.verify_key_log(pin=pin)
        assert verifier.verify_key_log(json.dumps(log), pin=pin) == fetched
        return fetched


@pytest.mark.parametrize(
    "log", [first, second, rotated, compromised], ids=["one", "two", "retired", "compromised"]
)
def test_a_good_log(log: list[Entry]) -> None:
    result = check(log)
    assert result.valid, result
    assert (result.entries, [key.kid for key in result.keys]) == (len(log), ["key-1", "key-2"][: len(log)])
    assert check(log, pin=result.head).valid
    assert check(log, pin=check(first).head).valid
    # The thief had the first key since it signed the second and the third entry.
    assert result.doubtful == ([2, 3] if log is compromised else [])


def changed(log: list[Entry], at: int, **members: Any) -> list[Entry]:
    made = copy.deepcopy(log)
    made[at].update(members)
    return made


bad: dict[str, tuple[str, Callable[[], list[Entry]]]] = {
    "a gap": ("key_log_broken", lambda: [rotated[0], *rotated[2:]]),
    "another order": ("key_log_broken", lambda: [rotated[1], rotated[0]]),
    "an entry that names another before it": (
        "key_log_broken",
        lambda: changed(second, 1, previous="0x" + "1" * 64),
    ),
    "an entry that is older": ("key_log_broken", lambda: add(compromised, 1, "add", 2, times[3], times[5])),
    "tampered with": ("invalid_signature", lambda: changed(rotated, 2, retired_at=times[4])),
    "signed by itself": ("key_log_foreign_signer", lambda: add(first, 1, "add", 1, times[1], times[2])),
    "signed by a retired key": (
        "key_log_foreign_signer",
        lambda: add(rotated, 0, "add", 2, times[5], times[5]),
    ),
    "signed before it began": (
        "key_log_foreign_signer",
        lambda: add(second, 1, "add", 2, times[1], times[2]),
    ),
    "a key that reports itself": (
        "key_log_foreign_signer",
        lambda: add(second, 1, "compromise", 1, times[3], times[2], None, times[2]),
    ),
    "the only key reports itself": (
        "key_log_foreign_signer",
        lambda: add(first, 0, "compromise", 0, times[1], times[0], None, times[0]),
    ),
    "a key twice": ("key_log_bad_change", lambda: add(first, 0, "add", 0, times[1], times[2])),
    "a key under another name": (
        "key_log_bad_change",
        lambda: add(first, 0, "add", 0, times[1], times[2], kid="key-9"),
    ),
    "a key that begins in the past": (
        "key_log_bad_change",
        lambda: add(first, 0, "add", 1, times[2], times[1]),
    ),
    "a key that is retired in the past": (
        "key_log_bad_change",
        lambda: add(second, 1, "retire", 0, times[4], times[0], times[3]),
    ),
    "a key that nobody added": (
        "key_log_bad_change",
        lambda: add(first, 0, "retire", 1, times[1], times[1], times[2]),
    ),
    "a change of more": (
        "key_log_bad_change",
        lambda: add(second, 1, "retire", 0, times[4], times[1], times[5]),
    ),
    "compromised later than now": (
        "key_log_bad_change",
        lambda: add(rotated, 1, "compromise", 0, times[4], times[0], times[3], times[5]),
    ),
    "compromised again since later": (
        "key_log_bad_change",
        lambda: add(compromised, 1, "compromise", 0, times[5], times[0], times[3], times[2]),
    ),
    "a proof of another time": (
        "invalid_proof",
        lambda: changed(first, 0, proof={**first[0]["proof"], "created": times[1]}),
    ),
    "a member more": ("invalid_shape", lambda: changed(first, 0, more=1)),
    "no entries": ("invalid_shape", lambda: []),
}


@pytest.mark.parametrize("name", bad)
def test_a_bad_log(name: str) -> None:
    code, make = bad[name]
    result = check(make(), document=did_document(rotated))
    assert (result.valid, result.code) == (False, code), result


def test_the_keys_that_are_served_are_those_of_the_log() -> None:
    for document in (
        did_document(first),
        did_document(second),
        did_document(compromised),
        {**did_document(rotated), "assertionMethod": []},
    ):
        assert check(rotated, document=document).code == "key_log_differs"
    twice = did_document(rotated)
    twice["verificationMethod"].append(twice["verificationMethod"][0])
    assert check(rotated, document=twice).code == "key_log_differs"


def test_other_faults_of_a_log() -> None:
    assert check(rotated, pin=check(compromised).head).code == "key_log_rewritten"
    assert check(rotated, issuer="did:web:evil.example").code == "foreign_issuer"
    assert check(rotated, at=times[0]).code == "issued_in_future"
    assert check(rotated, type="Log").code == "wrong_kind"
