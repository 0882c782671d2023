"""Buying by a quote, and two purchases at once, from a real service."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Iterator

import pytest
from test_buying import parties  # noqa: F401
from test_service import connect  # noqa: F401
from trading import Member, amount, balance, join, join_with_service, market, payload

from earnest import HandlerContext, UntrustedOrderError


def test_two_purchases_at_once_do_not_spend_each_others_allowance() -> None:
    buyer, (_, service) = join(), join_with_service()

    def buy(text: str) -> str:
        return buyer.buy(service, {"text": text}, rail="escrow").order["status"]

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(buy, ("one", "two"))) == ["funded", "funded"]
    assert buyer.spent() == 2 * amount


def offer_quoted(provider: Any, slug: str) -> Any:
    """Publishes a service that is sold by quote."""
    provider.services.create(
        slug,
        slug="quoted",
        title="Statistics by quote",
        pricing_model="negotiated",
        price="2.50",
        delivery_time_hours=1,
        tags=["counting"],
    )
    return provider.services.publish(slug, "quoted")


def give_quote(provider: Any, buyer: Any, offered: Any, price: str, **more: Any) -> Any:
    request = buyer.requests.post(title="Count", description="Only once.", tags=["counting"], budget="20")
    asked = {"agent_slug": offered["agent"]["slug"], "service_id": offered["id"], "price": price, **more}
    given = provider.quotes.give(request["id"], delivery_time_hours=48, **asked)
    return buyer.quotes.get(given["id"])


def test_buys_by_a_quote_once_at_its_price_and_in_its_time(parties: Any) -> None:  # noqa: F811
    provider, _, buyer, wallet, service = parties
    offered = offer_quoted(provider, service["agent"]["slug"])

    def quote_for(price: str) -> Any:
        return give_quote(provider, buyer, offered, price)

    terms = {"wallet": wallet, "market": market(), "max_amount": "8"}
    for shown, field in (
        ({"price": "5.00"}, "agreement.unit_price_base_units"),
        ({"delivery_time_hours": 24}, "agreement.delivery_window_seconds"),
        ({"service": {**service, "slug": "quoted"}}, "quote.service.id"),
    ):
        with pytest.raises(UntrustedOrderError) as refused:
            buyer.buy_quote({**quote_for("7.25"), **shown}, payload, **terms)
        assert refused.value.field == field
    with pytest.raises(UntrustedOrderError, match="at most 7"):
        buyer.buy_quote(quote_for("7.25"), payload, **{**terms, "max_amount": "7"})
    assert wallet.signed == []
    quote = quote_for("7.25")
    purchase = buyer.buy_quote(quote, payload, **terms)
    assert (purchase.order["status"], purchase.order["total_amount"]) == ("funded", "7.250000")
    assert purchase.agreed.escrow.terms.delivery_window == 48 * 3600
    assert buyer.buy_quote(quote, payload, **terms).order_id == purchase.order_id
    with pytest.raises(UntrustedOrderError) as other:
        buyer.buy_quote(quote, {"text": "another"}, **terms)
    assert other.value.field == "agreement.input_digest"
    assert wallet.signed == ["ReceiveWithAuthorization"]
    assert balance(wallet.address) == 10 * amount - 7_250_000


@contextmanager
def serving(provider: Member, agent: str, handler: Any) -> Iterator[None]:
    """Serves the service by quote while the block runs."""
    stop = threading.Event()
    options: dict[str, Any] = {"wallet": provider.wallet, "market": market(), "poll": 0.2, "stop": stop}
    with ThreadPoolExecutor(1) as thread:
        run = thread.submit(provider.client.serve, agent, {"quoted": handler}, **options)
        try:
            yield
        finally:
            stop.set()
            run.result()


def test_buys_in_stages_and_pays_one_after_the_other() -> None:
    (provider, service), buyer = join_with_service(), join()
    offered = offer_quoted(provider.client, service["agent"]["slug"])
    stages = [
        {"title": "Outline", "amount": "2.00", "hours": 8, "output_schema": {"required": ["part"]}},
        {"title": "Text", "amount": "3.00", "hours": 40},
    ]
    quote = give_quote(provider.client, buyer.client, offered, "5.00", stages=stages)
    terms: dict[str, Any] = {"wallet": buyer.wallet, "market": market(), "max_amount": "5"}
    first, second = quote["stages"]
    quote["stages"] = [{**first, "amount": "3.00"}, {**second, "amount": "2.00"}]
    with pytest.raises(UntrustedOrderError) as refused:
        buyer.client.buy_quote(quote, payload, **terms)
    assert refused.value.field == "agreement.stages[0].amount_base_units"
    quote = give_quote(provider.client, buyer.client, offered, "5.00", stages=stages)
    purchase = buyer.client.buy_quote(quote, payload, **terms)
    calls: list[tuple[int, str | None]] = []

    def work(_: Any, context: HandlerContext) -> Any:
        assert context.stage is not None
        calls.append((context.stage["number"], context.changes))
        return {"part": len(calls)}

    with serving(provider, service["agent"]["slug"], work):
        delivery = purchase.delivery()
        assert (delivery.stage, delivery.output) == (1, {"part": 1})
        purchase.request_changes("Longer, please.")
        assert purchase.delivery().output == {"part": 2}
        with pytest.raises(TypeError, match="accept_stage"):
            purchase.accept()
        # The provider may have delivered the next stage already.
        assert purchase.accept_stage(1)["status"] in ("started", "delivered")
        assert balance(provider.wallet.address) == 10 * amount + 2_000_000
        # The program is started again.
        again = buyer.client.resume(purchase.order_id, wallet=buyer.wallet, market=market())
        assert again.accept_stage(1)["status"] in ("started", "delivered")
        delivery = again.delivery()
        assert (delivery.stage, delivery.output) == (2, {"part": 3})
        receipt = again.accept()
    assert receipt.chain is not None
    assert (receipt.verified.claim, receipt.chain.agrees) == ("released", True)
    assert again.accept_stage(2)["status"] == "released"
    assert calls == [(1, None), (1, "Longer, please."), (2, None)]
    assert buyer.wallet.signed == ["ReceiveWithAuthorization", "Voucher", "Voucher"]
    # A record may be signed again, if another one took its number. Each is on the chain once.
    assert set(provider.wallet.signed) == {"RecordPart"}
    trail = [fact["type"] for fact in buyer.client.orders.list_trail(purchase.order_id)]
    assert trail.count("part.recorded") <= 3
    shown = buyer.client.orders.list_stages(purchase.order_id)["items"]
    assert [(one["state"], one["output_payload"]) for one in shown] == [
        ("accepted", {"part": 2}),
        ("accepted", {"part": 3}),
    ]
    receipts = buyer.client.receipts.list(purchase.order_id)["items"]
    assert [(one["claim"], one["document"]["amount"]) for one in receipts] == [
        ("funded", "5000000"),
        ("part_released", "2000000"),
        ("part_released", "3000000"),
        ("released", "5000000"),
    ]


def test_a_dispute_holds_the_stages_that_are_not_paid() -> None:
    (provider, service), buyer = join_with_service(), join()
    offered = offer_quoted(provider.client, service["agent"]["slug"])
    stages = [{"title": f"Part {n}", "amount": "2.50", "hours": 24} for n in (1, 2)]
    quote = give_quote(provider.client, buyer.client, offered, "5.00", stages=stages)
    terms: dict[str, Any] = {"wallet": buyer.wallet, "market": market(), "max_amount": "5"}
    purchase = buyer.client.buy_quote(quote, payload, **terms)
    with serving(provider, service["agent"]["slug"], lambda *_: {"words": 2}):
        purchase.delivery()
        purchase.accept_stage(1)
        purchase.delivery()
    disputed = purchase.dispute("The end is missing.")
    assert [stage["state"] for stage in disputed["stages"] or []] == ["accepted", "disputed"]
