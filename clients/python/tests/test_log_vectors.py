"""tlog/vectors.json: the same cases as the service's own verifier of its log."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import random
from pathlib import Path
from typing import Any, Callable

import httpx2
import pytest
from vectors import read_vectors

from earnest._core.driver import Driver
from earnest._core.flow import Flow
from earnest.tlog import (
    AsyncLogVerifier,
    FileMemory,
    LogRejection,
    LogVerifier,
    decode_entry,
    parse_policy,
    verify_checkpoint,
    verify_consistency,
    verify_inclusion,
    verify_proof,
    verify_receipt_proof,
    verify_revocation_proof,
)
from earnest.tlog.history import check_memory
from earnest.tlog.merkle import EMPTY_ROOT, hash_leaf, hash_node
from earnest.tlog.note import parse_verifier_key

vectors = read_vectors("tlog/vectors.json")
Case = dict[str, Any]


def raw(text: str) -> bytes:
    return base64.b64decode(text)


def refuse(good: bool, code: str) -> dict[str, Any]:
    return {"valid": True} if good else {"valid": False, "code": code}


def entry_of(found: Any) -> dict[str, Any]:
    entry = {} if found.entry is None else {"entry": found.entry}
    return {"valid": True, "index": found.index, "size": found.checkpoint.size, **entry}


def check_vkey(case: Case) -> dict[str, Any]:
    key = parse_verifier_key(case["vkey"])
    return {"valid": True, "name": key.name, "id": key.id, "type": key.type}


def check_checkpoint(case: Case) -> Any:
    found = verify_checkpoint(case["note"], **vectors["trusts"][case["trust"]])
    if not found.valid:
        return found
    return {
        "valid": True,
        "origin": found.checkpoint.origin,
        "size": found.checkpoint.size,
        "root": base64.b64encode(found.checkpoint.root).decode(),
        "cosignatures": [vars(one) for one in found.cosignatures],
    }


def check_remembered(case: Case) -> dict[str, Any]:
    story = vectors["stories"].get(case.get("story"), {})

    class Memory:
        def get(self, origin: str) -> str | None:
            return case["remembered"]  # type: ignore[no-any-return]

        def set(self, origin: str, checkpoint: str) -> None: ...

    def fetch(path: str, most: int) -> Flow[bytes]:
        if path not in story:
            raise LogRejection("tile_unavailable", path)
        return raw(story[path])
        yield

    trust = {"vkey": None, "policy": None, **vectors["trusts"][case["trust"]]}
    flow = check_memory(
        case["given"], trust["vkey"], trust["policy"], Memory(), fetch, case.get("newest", False)
    )
    return {"valid": True, "seen": Driver().run(flow).seen}


checks: dict[str, Callable[[Case], Any]] = {
    "vkey": check_vkey,
    "checkpoint": check_checkpoint,
    "policy": lambda case: {
        "valid": True,
        "quorum": parse_policy(case["policy"]).is_met_by(case.get("cosigned", [])),
    },
    "inclusion": lambda case: refuse(
        verify_inclusion(
            raw(case["hash"]),
            case["index"],
            case["size"],
            raw(case["root"]),
            [raw(one) for one in case["hashes"]],
        ),
        "not_included",
    ),
    "consistency": lambda case: refuse(
        verify_consistency(
            case["old_size"],
            raw(case["old_root"]),
            case["size"],
            raw(case["root"]),
            [raw(one) for one in case["hashes"]],
        ),
        "not_consistent",
    ),
    "entry": lambda case: {
        "valid": True,
        "entry": decode_entry(case["entry"].encode("utf-8", "surrogatepass")),
    },
    "proof": lambda case: verify_proof(
        case["proof"], case["entry"].encode(), **vectors["trusts"][case["trust"]]
    ),
    "receipt": lambda case: verify_receipt_proof(
        case["proof"],
        receipt=case.get("id"),
        document=case.get("document"),
        x402=case.get("x402"),
        **vectors["trusts"][case["trust"]],
    ),
    "revocation": lambda case: verify_revocation_proof(
        case["proof"], case["id"], **vectors["trusts"][case["trust"]]
    ),
    "memory": check_remembered,
}


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{case['kind']}: {case['name']}") for case in vectors["cases"]]
)
def test_vectors(case: Case) -> None:
    try:
        found = checks[case["kind"]](case)
    except LogRejection as rejection:
        found = rejection.to_failure()
    if not isinstance(found, dict):
        found = entry_of(found) if found.valid else {"valid": False, "code": found.code}
    assert found == case["expected"]


def root_of(leaves: list[bytes]) -> bytes:
    """By the definition (RFC 6962, section 2.1)."""
    if len(leaves) < 2:
        return leaves[0] if leaves else EMPTY_ROOT
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
            trust = vectors["trusts"][case["trust"]]
            found = verify_receipt_proof(
                changed, document=case.get("document"), x402=case.get("x402"), **trust
            )
            # A line of a witness that the policy can do without, or that it does not know, may be lost.
            assert found.valid is False or "\n\n" in changed[changed.index("\n\n") + 2 :]


service = next(case for case in vectors["cases"] if case["kind"] == "receipt" and case["expected"]["valid"])


def serve(pages: dict[str, bytes]) -> httpx2.MockTransport:
    def handle(request: httpx2.Request) -> httpx2.Response:
        page = pages.get(str(request.url))
        return httpx2.Response(404) if page is None else httpx2.Response(200, content=page)

    return httpx2.MockTransport(handle)


def test_a_receipt_is_looked_up_by_a_pinned_key_and_the_log_is_remembered(tmp_path: Path) -> None:
    document = {"id": "https://market.example/api/v1/receipts/rcp_1", **service["document"]}
    http = serve({"https://market.example/api/v1/receipts/rcp_1/proof": service["proof"].encode()})
    trust = vectors["trusts"][service["trust"]]
    memory = FileMemory(tmp_path / "state" / "logs.json")
    issuer = "did:web:market.example"
    with LogVerifier(issuer, memory=memory, http=httpx2.Client(transport=http), **trust) as log:
        first, second = log.look_up(document), log.look_up(json.dumps(document))
    assert first.valid
    assert first.pinned
    assert first.seen == "nothing"
    assert second.valid
    assert second.seen == "same"
    assert memory.get("log.example/log") is not None

    async def look() -> Any:
        async with AsyncLogVerifier(
            issuer, memory=memory, http=httpx2.AsyncClient(transport=http), **trust
        ) as log:
            return await log.look_up(document)

    assert asyncio.run(look()).seen == "same"


def test_what_is_absent_and_what_is_unknown_are_told_apart() -> None:
    trust = vectors["trusts"][service["trust"]]
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


def test_a_file_that_holds_something_else_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "logs.json"
    file.write_text("[1]", "utf-8")
    with pytest.raises(ValueError, match="should hold"):
        FileMemory(file).set("log.example/log", "note")
    assert file.read_text("utf-8") == "[1]"


def test_a_memory_that_is_damaged_accuses_no_log(tmp_path: Path) -> None:
    file = tmp_path / "logs.json"
    file.write_text('{"log.example/log": "not a note"}', "utf-8")
    http = serve({"https://market.example/api/v1/receipts/rcp_1/proof": service["proof"].encode()})
    trust = vectors["trusts"][service["trust"]]
    with (
        LogVerifier(
            "did:web:market.example", memory=FileMemory(file), http=httpx2.Client(transport=http), **trust
        ) as log,
        pytest.raises(ValueError, match="no checkpoint"),
    ):
        log.look_up(service["document"])


def test_an_issuer_that_is_no_name_is_the_callers_error() -> None:
    with pytest.raises(ValueError, match="did:web"):
        LogVerifier("market.example")


def test_the_empty_tree_has_the_hash_of_nothing() -> None:
    assert hashlib.sha256().digest() == EMPTY_ROOT
    assert verify_consistency(0, EMPTY_ROOT, 0, EMPTY_ROOT, [])
