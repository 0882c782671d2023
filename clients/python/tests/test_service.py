"""Whole calls to a real service, whose address the runner gives in EARNEST_URL."""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from typing import Any, Callable, Iterator

import pytest
from conftest import Blocking

import earnest
from earnest import AsyncEarnest, Earnest, LocalWallet, RequestOptions, settlement

url = os.environ.get("EARNEST_URL", "")
chain_id = 31337
schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
output_schema = {
    "type": "object",
    "properties": {"characters": {"type": "integer"}},
    "required": ["characters"],
}


@pytest.fixture(scope="module", autouse=True)
def _service() -> None:
    assert url, "EARNEST_URL has no address of a service: `npm run test:clients -- python` starts one."


@pytest.fixture(params=["sync", "async"])
def connect(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Makes clients of the service: once `Earnest`, and once `AsyncEarnest`."""
    loop = asyncio.new_event_loop()
    opened: list[Any] = []

    def make(**options: Any) -> Any:
        opened.append((Earnest if request.param == "sync" else AsyncEarnest)(url, **options))
        return opened[-1] if request.param == "sync" else Blocking(opened[-1], loop)

    yield make
    for one in opened:
        closed = one.close()
        if closed is not None:
            loop.run_until_complete(closed)
    loop.close()


def sign_in(connect: Callable[..., Any]) -> tuple[Any, LocalWallet]:
    wallet = LocalWallet.create()
    client = connect()
    signed_in = client.sign_in(wallet, chain_id=chain_id)
    assert signed_in["tokens"]["access_token"].startswith("est_")
    return client, wallet


def offer_service(client: Any, wallet: LocalWallet) -> tuple[str, Any]:
    slug = f"agent-{secrets.token_hex(6)}"
    client.agents.create(slug=slug, name="Statistics", capabilities={"skills": ["counting"]})
    client.agents.set_payout_wallet(slug, {"address": wallet.address})
    client.agents.publish(slug)
    service = client.services.create(
        slug,
        slug="count",
        title="Statistics of a text",
        pricing_model="fixed",
        price="2.50",
        delivery_time_hours=1,
        input_schema=schema,
        output_schema=output_schema,
    )
    assert service["price"] == "2.500000"
    return slug, client.services.publish(slug, "count")


def test_a_session_from_sign_in_to_sign_out(connect: Callable[..., Any]) -> None:
    client, wallet = sign_in(connect)
    me = client.me()
    assert me["primary_address"] == wallet.address
    other = LocalWallet.create()
    assert client.link_wallet(other, chain_id=chain_id)["address"] == other.address
    key = client.api_keys.create(name="tests", scopes=["orders:read"])
    with_key = connect(api_key=key["token"])
    assert with_key.me()["auth"]["scopes"] == ["orders:read"]
    with pytest.raises(earnest.PermissionDeniedError, match="orders:write") as refused:
        with_key.orders.place(service_id="svc_01jd3w8x2mfhz8w9q4t6n5k7ra")
    assert refused.value.code == "insufficient_scope"
    client.sign_out()
    with pytest.raises(earnest.AuthenticationError):
        client.me()


def test_a_text_of_another_host_is_not_signed(connect: Callable[..., Any]) -> None:
    signed: list[str] = []

    class Witness(LocalWallet):
        def sign_text(self, text: str) -> str:
            signed.append(text)
            return super().sign_text(text)

    wallet = Witness(LocalWallet.create().key)
    with pytest.raises(
        earnest.UntrustedTextError, match=r"it is for the host localhost:\d+, not evil\.example"
    ):
        connect().sign_in(wallet, chain_id=chain_id, host="evil.example")
    assert signed == []


def test_an_order_whose_deposit_address_is_recomputed(connect: Callable[..., Any]) -> None:
    provider, payout = sign_in(connect)
    slug, service = offer_service(provider, payout)
    buyer, wallet = sign_in(connect)
    with pytest.raises(earnest.UnprocessableError) as refused:
        buyer.orders.place(service_id=service["id"], input_payload={})
    assert refused.value.code == "input_schema_violation"
    assert [(one["path"], one["keyword"]) for one in refused.value.details] == [("/text", "required")]
    options = RequestOptions(idempotency_key=f"tests-{secrets.token_hex(8)}")
    payload = {"text": "Guten Tag"}
    order = buyer.orders.place(service_id=service["id"], input_payload=payload, options=options)
    again = buyer.with_response(
        buyer.orders.place, service_id=service["id"], input_payload=payload, options=options
    )
    assert again.response.headers["idempotent-replayed"] == "true"
    assert again.data["id"] == order["id"]
    assert (
        earnest.to_base_units(order["total_amount"], 6) == int(order["total_amount_base_units"]) == 2_500_000
    )

    agreement = buyer.orders.get_agreement(order["id"])
    derived = settlement.derive_deposit(agreement)
    assert agreement["input_digest"] == settlement.digest_of(payload)
    assert agreement["input_schema_digest"] == settlement.digest_of(schema)
    assert (derived.terms.buyer, derived.terms.provider) == (wallet.address, payout.address)
    assert derived.escrow_id == order["escrow"]["escrow_id"]
    assert derived.deposit_address == order["escrow"]["deposit_address"]
    instructions = buyer.orders.get_payment_instructions(order["id"])
    calls = [settlement.approve_call(derived), settlement.create_escrow_call(derived)]
    assert [(call["to"], call["data"]) for call in instructions["calls"]] == [
        (call.to, call.data) for call in calls
    ]

    assert [one["id"] for one in provider.orders.list_received(limit=1)] == [order["id"]]
    assert slug in [one["slug"] for one in provider.agents.list_mine(limit=1)]
    for client in (provider, buyer):
        stream = client.events.follow(until_caught_up=True)
        assert [event["type"] for event in stream] == ["order.created"]
    assert provider.events.list_types()["items"]


def test_the_feed_as_it_happens(connect: Callable[..., Any]) -> None:
    provider, payout = sign_in(connect)
    _, service = offer_service(provider, payout)
    buyer, _ = sign_in(connect)

    def place() -> str:
        order = buyer.orders.place(service_id=service["id"], input_payload={"text": "Guten Tag"})
        return str(order["id"])

    kept: list[str] = []
    placed, found = [place()], []
    stream = buyer.events.stream(types=["order.created"], on_cursor=kept.append)
    begin = 0.0
    for event in stream:
        found.append(event["data"]["order"]["id"])
        if len(found) == 3:
            break
        begin = time.monotonic()
        placed.append(place())
    assert time.monotonic() - begin < 30
    assert found == placed
    assert kept[-1] == stream.cursor
    again = buyer.events.stream(cursor=stream.cursor)
    assert next(iter(again))["data"]["order"]["id"] == placed[2]
    key = buyer.api_keys.create(name="tests", scopes=["orders:read"])
    with pytest.raises(earnest.PermissionDeniedError, match="webhooks:read"):
        next(iter(connect(api_key=key["token"]).events.stream()))


def test_pages_of_a_real_list(connect: Callable[..., Any]) -> None:
    client, wallet = sign_in(connect)
    offer_service(client, wallet)
    slug = f"agent-{secrets.token_hex(6)}"
    client.agents.create(slug=slug, name="Another", capabilities={"skills": ["x"]})
    one_by_one = [agent["slug"] for agent in client.agents.list_mine(limit=1)]
    assert len(one_by_one) == 2
    assert one_by_one == [agent["slug"] for agent in client.agents.list_mine()]
    found = [service["id"] for service in client.marketplace.search_services(limit=1)]
    assert len(found) == len(set(found)) >= 1
