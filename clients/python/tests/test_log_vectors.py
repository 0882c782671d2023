"""protocol/tlog/vectors.json: the cases of one receipt's proof, as the service's own verifier answers them."""

from __future__ import annotations

import asyncio
import base64
import json
import random
from typing import Any, Callable

import httpx2
import pytest
from vectors import read_vectors

from earnest.tlog import AsyncLogVerifier, LogRejection, LogVerifier, verify_receipt_proof
from earnest.tlog.entry import decode_entry, open_proof, parse_proof
from earnest.tlog.merkle import hash_leaf, hash_node, verify_inclusion
from earnest.tlog.note import open_checkpoint, parse_verifier_key

vectors = read_vectors("protocol/tlog/vectors.json")
Case = dict[str, Any]


def raw(text: str) -> bytes:
    return base64.b64decode(text)


def key_of(trust: str) -> str | None:
    """The key of the log that a case trusts; a policy lists it."""
    named = vectors["trusts"][trust]
    listed = [line.split()[1] for line in named.get("policy", "").split("\n") if line.startswith("log ")]
    return named.get("vkey") or next(iter(listed), None)


def is_of_one_receipt(case: Case) -> bool:
    """Witnesses, and the history of a log, are for the other clients."""
    if case["kind"] == "vkey":
        return bool(case["expected"].get("type") != 4)
    if case["kind"] == "checkpoint":
        return "policy" not in vectors["trusts"][case["trust"]]
    return case["kind"] in checks and case["expected"].get("code") not in ("quorum_not_met", "no_trusted_log")


def check_vkey(case: Case) -> dict[str, Any]:
    key = parse_verifier_key(case["vkey"])
    return {"valid": True, "name": key.name, "id": key.id, "type": 1}


def check_checkpoint(case: Case) -> dict[str, Any]:
    found = open_checkpoint(case["note"], key_of(case["trust"]))
    root = base64.b64encode(found.root).decode()
    return {"valid": True, "origin": found.origin, "size": found.size, "root": root, "cosignatures": []}


def check_inclusion(case: Case) -> dict[str, Any]:
    proof = [raw(one) for one in case["hashes"]]
    if verify_inclusion(raw(case["hash"]), case["index"], case["size"], raw(case["root"]), proof):
        return {"valid": True}
    return {"valid": False, "code": "not_included"}


def check_proof(case: Case) -> dict[str, Any]:
    proof = parse_proof(case["proof"])
    size = open_proof(proof, case["entry"].encode(), key_of(case["trust"])).size
    return {"valid": True, "index": proof.index, "size": size}


def check_receipt(case: Case) -> dict[str, Any]:
    found = verify_receipt_proof(
        case["proof"],
        receipt=case.get("id"),
        document=case.get("document"),
        x402=case.get("x402"),
        vkey=key_of(case["trust"]),
    )
    if not found.valid:
        return {"valid": False, "code": found.code}
    return {"valid": True, "index": found.index, "size": found.checkpoint.size, "entry": found.entry}


checks: dict[str, Callable[[Case], dict[str, Any]]] = {
    "vkey": check_vkey,
    "checkpoint": check_checkpoint,
    "inclusion": check_inclusion,
    "entry": lambda case: {
        "valid": True,
        "entry": decode_entry(case["entry"].encode("utf-8", "surrogatepass")),
    },
    "proof": check_proof,
    "receipt": check_receipt,
}
cases = [case for case in vectors["cases"] if is_of_one_receipt(case)]


def test_the_cases_are_many() -> None:
    assert len(cases) > 100


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case['kind']}: {case['name']}") for case in cases])
def test_vectors(case: Case) -> None:
    try:
        found = checks[case["kind"]](case)
    except LogRejection as rejection:
        found = {"valid": False, "code": rejection.code}
    assert found == case["expected"]


def root_of(leaves: list[bytes]) -> bytes:
    """Computes the root by its definition (RFC 6962, section 2.1)."""
    if len(leaves) < 2:
        return leaves[0]
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return hash_node(root_of(leaves[:split]), root_of(leaves[split:]))


def prove(leaves: list[bytes], index: int) -> list[bytes]:
    if len(leaves) < 2:
        return []
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    if index < split:
        return [*prove(leaves[:split], index), root_of(leaves[split:])]
    return [*prove(leaves[split:], index - split), root_of(leaves[:split])]


@pytest.mark.parametrize("size", [*range(1, 20), 255, 256, 257])
def test_proofs_by_the_definition_hold_and_changed_ones_do_not(size: int) -> None:
    leaves = [hash_leaf(b"%d" % number) for number in range(size)]
    root = root_of(leaves)
    for index in {0, size // 2, size - 1}:
        proof = prove(leaves, index)
        assert verify_inclusion(leaves[index], index, size, root, proof)
        assert not verify_inclusion(leaves[index], index, size, root, [*proof, root])
        assert not verify_inclusion(leaves[index], index + 1, size, root, proof)
        if proof:
            assert not verify_inclusion(leaves[index], index, size, root, proof[1:])


def test_hostile_texts_are_refused_and_raise_nothing() -> None:
    chance = random.Random(7)
    proofs = [case for case in vectors["cases"] if case["kind"] == "receipt" and case["expected"]["valid"]]
    for case in proofs:
        for _ in range(200):
            text = list(case["proof"])
            at = chance.randrange(len(text))
            text[at] = chance.choice(["", "\n", "+", "é", "\x00", "A", " ", "\ud800"])
            changed = "".join(text)
            if changed == case["proof"]:
                continue
            found = verify_receipt_proof(
                changed, document=case.get("document"), x402=case.get("x402"), vkey=key_of(case["trust"])
            )
            # A line of a witness may be lost.
            assert found.valid is False or "\n\n" in changed[changed.index("\n\n") + 2 :]


service = next(case for case in vectors["cases"] if case["kind"] == "receipt" and case["expected"]["valid"])


def serve(pages: dict[str, bytes]) -> httpx2.MockTransport:
    def handle(request: httpx2.Request) -> httpx2.Response:
        page = pages.get(str(request.url))
        return httpx2.Response(404) if page is None else httpx2.Response(200, content=page)

    return httpx2.MockTransport(handle)


def test_a_receipt_is_looked_up_by_a_pinned_key() -> None:
    document = {"id": "https://market.example/api/v1/receipts/rcp_1", **service["document"]}
    http = serve({"https://market.example/log/proofs/rcp_1": service["proof"].encode()})
    vkey = key_of(service["trust"])
    issuer = "did:web:market.example"
    with LogVerifier(issuer, vkey=vkey, http=httpx2.Client(transport=http)) as log:
        first, second = log.look_up(document), log.look_up(json.dumps(document))
    assert first.valid
    assert first.pinned
    assert second.valid

    async def look() -> Any:
        async with AsyncLogVerifier(issuer, vkey=vkey, http=httpx2.AsyncClient(transport=http)) as log:
            return await log.look_up(document)

    assert asyncio.run(look()).valid


def test_what_is_absent_and_what_is_unknown_are_told_apart() -> None:
    trust = {"vkey": key_of(service["trust"])}
    document = {"id": "https://market.example/api/v1/receipts/rcp_9"}

    def outcome(handle: Callable[[httpx2.Request], httpx2.Response], **more: Any) -> tuple[str, str]:
        http = httpx2.Client(transport=httpx2.MockTransport(handle))
        found = LogVerifier("did:web:market.example", http=http, **more).look_up(document)
        assert found.valid is False
        return found.outcome, found.code

    assert outcome(lambda _: httpx2.Response(404), **trust) == ("absent", "not_logged")
    assert outcome(lambda _: httpx2.Response(404)) == ("absent", "not_logged")
    assert outcome(lambda _: httpx2.Response(503), **trust) == ("unknown", "log_unavailable")
    assert outcome(lambda _: httpx2.Response(302), **trust) == ("unknown", "log_unavailable")
    assert outcome(lambda _: httpx2.Response(200, content=b"x"), **trust) == ("contradicted", "malformed")
    key = vectors["trusts"]["vkey"]["vkey"].encode()
    assert outcome(lambda _: httpx2.Response(200, content=key)) == ("contradicted", "foreign_origin")


def test_an_issuer_that_is_no_name_is_the_callers_error() -> None:
    with pytest.raises(ValueError, match="did:web"):
        LogVerifier("market.example")
