"""receipts/vectors.json: the same cases as the service's own verifier."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import pytest
from vectors import read_vectors

from earnest._core.times import read_time
from earnest.receipts import AsyncVerifier, Verifier

vectors = read_vectors("receipts/vectors.json")
methods = {
    "settlement_document": "verify_receipt",
    "x402_receipt": "verify_x402_receipt",
    "x402_offer": "verify_offer",
    "record_statement": "verify_record_statement",
}
members = {
    "settlement_document": "document",
    "x402_receipt": "receipt",
    "x402_offer": "offer",
    "record_statement": "statement",
}


def network_of(case: dict[str, Any]) -> httpx2.MockTransport:
    """A network with only the pages of a case."""

    def handle(request: httpx2.Request) -> httpx2.Response:
        page = vectors["pages"].get(case["addresses"].get(str(request.url)))
        if page is None:
            raise httpx2.ConnectError(f"Nothing answers at {request.url}.")
        return httpx2.Response(page["status"], headers=page.get("headers"), content=page["body"].encode())

    return httpx2.MockTransport(handle)


def say(case: dict[str, Any], result: Any) -> dict[str, Any]:
    """Returns the result in the form of the vectors."""
    if not result.valid:
        return {"valid": False, "code": result.code}
    said = getattr(result, members[result.kind])
    expected = case["result"].get("says", {})
    status = {"status": result.status} if hasattr(result, "status") else {}
    return {
        "valid": True,
        "key_id": result.key_id,
        **status,
        "says": {name: value for name, value in said.items() if name in expected},
    }


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{case['kind']}: {case['name']}") for case in vectors["cases"]]
)
def test_vectors(case: dict[str, Any]) -> None:
    options = dict(case.get("options", {}))
    settings = {
        "now": read_time(case["now"]),
        **({"status": options.pop("status")} if "status" in options else {}),
    }
    # The caller parses the envelope of the HTTP response.
    given = case["input"]
    if case["kind"].startswith("x402_") and given.startswith('{"format":'):
        given = json.loads(given)
    with httpx2.Client(transport=network_of(case)) as http:
        verifier = Verifier(case["issuer"], http=http, **settings)
        assert say(case, getattr(verifier, methods[case["kind"]])(given, **options)) == case["result"]

    async def check() -> Any:
        async with httpx2.AsyncClient(transport=network_of(case)) as http:
            verifier = AsyncVerifier(case["issuer"], http=http, **settings)
            return await getattr(verifier, methods[case["kind"]])(given, **options)

    assert say(case, asyncio.run(check())) == case["result"]


def test_the_vectors_are_many() -> None:
    assert len(vectors["cases"]) > 350


def test_many_at_once_ask_once() -> None:
    cases = [
        case
        for case in vectors["cases"]
        if case["kind"] in ("settlement_document", "x402_receipt") and "options" not in case
    ]
    usual = [cases[0][name] for name in ("addresses", "issuer", "now")]
    same = [
        case
        for case in cases
        if [case[name] for name in ("addresses", "issuer", "now")] == usual
        and case["input"].lstrip().startswith("{") == (case["kind"] == "settlement_document")
    ]
    assert len(same) > 100
    asked: list[str] = []
    inner = network_of(same[0])

    def handle(request: httpx2.Request) -> httpx2.Response:
        asked.append(str(request.url))
        return inner.handle_request(request)

    with httpx2.Client(transport=httpx2.MockTransport(handle)) as http:
        verifier = Verifier(same[0]["issuer"], now=read_time(same[0]["now"]), http=http)
        results = verifier.verify_receipts([case["input"] for case in same])
    assert [say(case, result) for case, result in zip(same, results, strict=True)] == [
        case["result"] for case in same
    ]
    assert len(asked) == len(set(asked)) == 2


@pytest.mark.parametrize(
    "value", [None, 1, [], {}, b"x", object(), "", "{", "[" * 100_000, {"type": []}, "\ud800", 1.5]
)
def test_no_input_makes_a_verifier_raise(value: Any) -> None:
    with Verifier("did:web:localhost%3A1") as verifier:
        for method in methods.values():
            assert getattr(verifier, method)(value).valid is False
        assert verifier.verify_key_log(value).valid is False
    for issuer in (value, "did:web:Market.example", "did:web:h%3A443"):
        with Verifier(issuer) as verifier:
            result = verifier.verify_receipt("{}")
            assert not result.valid
            assert result.code == "invalid_issuer"
