"""The cases that all clients share: clients/scenarios/client-vectors.json."""

from __future__ import annotations

import json
from typing import Any, Callable

import pytest
from flaky import Answer, FlakyServer, Seen
from vectors import read_vectors

from earnest import LocalWallet, Market, PaymentToken, RelayFailedError
from earnest._core.retry_after import read_retry_after
from earnest.buying.placing import name_of
from earnest.buying.tokens import HeldToken
from earnest.settlement import digest_of
from earnest.webhooks import WebhookSignatureError, read_webhook

vectors = read_vectors("clients/scenarios/client-vectors.json")


def named(cases: list[Any]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


@pytest.mark.parametrize("case", named(vectors["deliveries"]))
def test_a_delivery_with_headers_at_the_edges(case: dict[str, Any]) -> None:
    def read() -> Any:
        headers = [(name, value) for name, value in case["headers"]]
        return read_webhook(vectors["delivery_body"].encode(), headers, case["secret"], now=case["now"])

    if case["valid"]:
        assert read()["type"] == "order.funded"
        return
    with pytest.raises(WebhookSignatureError):
        read()


@pytest.mark.parametrize("case", named(vectors["retry_after"]))
def test_retry_after(case: dict[str, Any]) -> None:
    header = ", ".join(case["headers"]) if case["headers"] else None
    assert read_retry_after(header, case["now"]) == case["seconds"]


@pytest.mark.parametrize("case", named(vectors["purchase_names"]))
def test_the_name_of_a_purchase(case: dict[str, Any]) -> None:
    held = case["held"] and [HeldToken(one["chain_id"], one["token"]) for one in case["held"]]
    assert name_of(case["asked"], held) == case["purchase"]


def test_whole_numbers_of_an_answer_are_exact(client: Callable[..., Any], server: FlakyServer) -> None:
    numbers = [int(case["json"]) for case in vectors["numbers"]]
    server.answers = [Answer({"numbers": numbers})]
    answer = client().request("GET", "/x")
    assert [str(number) for number in answer["numbers"]] == [case["text"] for case in vectors["numbers"]]


def test_whole_numbers_are_not_hashed_as_others() -> None:
    for text in vectors["digests"]["kept"]:
        assert digest_of(json.loads(text)).startswith("0x")
    for text in vectors["digests"]["lost"]:
        with pytest.raises(TypeError, match="loses digits"):
            digest_of({"a": [json.loads(text)]})


def test_members_that_a_client_does_not_know_are_kept(
    client: Callable[..., Any], server: FlakyServer
) -> None:
    answer = vectors["unknown"]["answer"]
    server.answers = [Answer(answer)]
    assert client().orders.get(answer["id"]) == answer


@pytest.mark.parametrize("act", ["release", "dispute"])
def test_what_the_contract_refuses_ends_the_call(
    act: str, client: Callable[..., Any], server: FlakyServer
) -> None:
    released, case = vectors["failed_release"], vectors[f"failed_{act}"]
    order, agreement = released["order"], released["agreement"]
    event = {"id": "evt_1", "type": "order.delivered", "data": {"order": {"id": order["id"]}}}
    path = f"/api/v1/orders/{order['id']}"
    sent: list[Seen] = []

    def answer(seen: Seen) -> Answer:
        if seen.method == "POST":
            sent.append(seen)
            return Answer(case["sent"], 202)
        answers = {
            path: order,
            f"{path}/agreement": agreement,
            f"{path}/{act}": case["failed" if sent else "to_sign"],
            "/api/v1/events": {"items": [event], "next_cursor": "c", "has_more": False},
        }
        return Answer(answers[seen.path])

    server.otherwise = answer
    token, escrow = agreement["token"], order["escrow"]
    market = Market(
        escrow["chain_id"], escrow["contract_address"], PaymentToken(token["address"], token["decimals"])
    )
    purchase = client().resume(order["id"], wallet=LocalWallet(released["wallet"]), market=market)
    calls = {"release": purchase.accept, "dispute": lambda: purchase.dispute(case["reason"])}
    with pytest.raises(RelayFailedError) as failed:
        calls[act]()
    found = (failed.value.order_id, failed.value.act, failed.value.reason)
    assert found == (order["id"], act, case["failed"]["relay"]["error"])
    assert len(sent) == 1
