"""Buying by a quote, and two purchases at once, from a real service."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from test_buying import parties  # noqa: F401
from test_service import connect  # noqa: F401
from trading import amount, balance, join, join_with_service, market, payload

from earnest import UntrustedOrderError


def test_two_purchases_at_once_do_not_spend_each_others_allowance() -> None:
    buyer, (_, service) = join(), join_with_service()

    def buy(text: str) -> str:
        return buyer.buy(service, {"text": text}, rail="escrow").order["status"]

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(buy, ("one", "two"))) == ["funded", "funded"]
    assert buyer.spent() == 2 * amount


def test_buys_by_a_quote_once_at_its_price_and_in_its_time(parties: Any) -> None:  # noqa: F811
    provider, _, buyer, wallet, service = parties
    slug = service["agent"]["slug"]
    provider.services.create(
        slug,
        slug="quoted",
        title="Statistics by quote",
        pricing_model="negotiated",
        price="2.50",
        delivery_time_hours=1,
        tags=["counting"],
    )
    offered = provider.services.publish(slug, "quoted")

    def quote_for(price: str) -> Any:
        request = buyer.requests.post(title="Count", description="Only once.", tags=["counting"], budget="20")
        given = provider.quotes.give(
            request["id"], agent_slug=slug, service_id=offered["id"], price=price, delivery_time_hours=48
        )
        return buyer.quotes.get(given["id"])

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
