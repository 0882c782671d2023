"""A service that lies is refused, with the field, before anything is signed."""

from __future__ import annotations

import re
from typing import Any, Iterator

import pytest
from proxy import Lie, Proxy, put
from test_service import url
from trading import join, join_with_service

from earnest import Earnest, LocalWallet, UntrustedOrderError
from earnest.settlement import derive_deposit

evil = LocalWallet("0x" + "66" * 32).address
other = "0x" + "11" * 32
orders = r"/orders(/ord_\w+)?$"
pay = "/payment-instructions$"
accepts = "payment_required.accepts.0"


class Liar:
    """A service that lies to one buyer, whose orders were placed, one for each rail, and never paid."""

    def __init__(self, server: Proxy) -> None:
        self.server = server
        self.buyer, (_, self.service) = join(), join_with_service()
        self.buyer.client = Earnest(server.url, api_key=self.buyer.token)
        self.refuse(put(pay, "deposit_address", evil))
        (placed,) = self.buyer.client.orders.list()
        self.truth: Any = self.buyer.client.orders.get_agreement(placed["id"])

    def refuse(self, lie: Lie, rail: str = "x402") -> str:
        """The field for which the lie was refused."""
        self.server.change_responses(lie)
        with pytest.raises(UntrustedOrderError) as refused:
            self.buyer.buy(self.service, rail=rail, max_amount="20")
        self.server.change_responses(None)
        assert self.buyer.wallet.signed == []
        return refused.value.field


@pytest.fixture(scope="module")
def liar() -> Iterator[Liar]:
    with Proxy(url) as server:
        liar = Liar(server)
        yield liar
        liar.buyer.client.close()


@pytest.mark.parametrize(
    ("rail", "place", "path", "value", "field"),
    [
        ("x402", "/services/count$", "price", "2.60", "service.price"),
        ("x402", orders, "total_amount_base_units", "1", "order.total_amount_base_units"),
        ("x402", orders, "provider_address", evil, "order.provider_address"),
        ("x402", orders, "buyer_address", evil, "order.buyer_address"),
        ("x402", orders, "arbiter", evil, "order.arbiter"),
        ("x402", orders, "settlement_rail", "escrow", "order.settlement_rail"),
        ("x402", orders, "escrow.escrow_id", other, "order.escrow.escrow_id"),
        ("x402", orders, "escrow.deposit_address", evil, "order.escrow.deposit_address"),
        ("x402", orders, "escrow.contract_address", evil, "order.escrow.contract_address"),
        ("x402", "/agreement$", "version", 2, "agreement"),
        ("x402", "/agreement$", "appeal_window_seconds", 1, "order.escrow.escrow_id"),
        ("x402", pay, "settlement_rail", "escrow", "payment_instructions.settlement_rail"),
        ("x402", pay, "amount_base_units", "9000000", "payment_instructions.amount_base_units"),
        ("x402", pay, "deposit_address", evil, "payment_instructions.deposit_address"),
        ("x402", pay, "terms.provider", evil, "payment_instructions.terms.provider"),
        ("x402", pay, f"{accepts}.payTo", evil, "payment_instructions.payment_required.accepts[0].payTo"),
        ("x402", pay, f"{accepts}.amount", "9", "payment_instructions.payment_required.accepts[0].amount"),
        ("x402", pay, f"{accepts}.asset", evil, "payment_instructions.payment_required.accepts[0].asset"),
        ("x402", pay, "typed_data.message.to", evil, "payment_instructions.typed_data.message.to"),
        ("x402", pay, "typed_data.message.value", "9", "payment_instructions.typed_data.message.value"),
        (
            "x402",
            pay,
            "typed_data.domain.verifyingContract",
            evil,
            "payment_instructions.typed_data.domain.verifyingContract",
        ),
        ("x402", pay, "typed_data.primaryType", "Permit", "payment_instructions.typed_data.primaryType"),
        ("escrow", pay, "calls.0.to", evil, "payment_instructions.calls[0].to"),
        ("escrow", pay, "calls.0.data", "0x00", "payment_instructions.calls[0].data"),
        ("escrow", pay, "calls.1.to", evil, "payment_instructions.calls[1].to"),
        ("escrow", pay, "calls.1.data", "0x00", "payment_instructions.calls[1].data"),
        ("escrow", pay, "calls.1.value", "1", "payment_instructions.calls[1].value"),
        ("escrow", pay, "calls", [], "payment_instructions.calls.length"),
    ],
)
def test_a_single_lie(liar: Liar, rail: str, place: str, path: str, value: Any, field: str) -> None:
    assert liar.refuse(put(place, path, value), rail) == field


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("provider", evil),
        ("amount_base_units", "9000000"),
        ("arbiter", evil),
        ("acceptance_window_seconds", 60),
        ("delivery_window_seconds", 1),
        ("dispute_window_seconds", 4_000_000_000),
        ("service_id", "svc_01jd3w7n1yes0bq7d5z3w6t8kg"),
        ("quantity", 2),
        ("input_digest", other),
        ("output_schema_digest", other),
        ("escrow_contract", evil),
        ("chain", "eip155:8453"),
        ("token.address", evil),
        ("token.decimals", 9),
    ],
)
def test_lies_that_fit_each_other(liar: Liar, member: str, value: Any) -> None:
    """The liar recomputes order and agreement."""
    name, _, inner = member.partition(".")
    lied = {**liar.truth, name: {**liar.truth[name], inner: value} if inner else value}
    escrow = derive_deposit(lied)

    def lie(call: str, answer: Any) -> Any:
        if call.endswith("/agreement"):
            return lied
        if not re.search(orders, call):
            return answer
        return {
            **answer,
            "service_id": lied["service_id"],
            "quantity": lied["quantity"],
            "provider_address": escrow.terms.provider,
            "arbiter": escrow.terms.arbiter,
            "total_amount_base_units": str(escrow.terms.amount),
            "escrow": {
                **answer["escrow"],
                "chain_id": escrow.chain_id,
                "contract_address": escrow.escrow_contract,
                "escrow_id": escrow.escrow_id,
                "deposit_address": escrow.deposit_address,
            },
        }

    assert liar.refuse(lie).startswith(f"agreement.{member}")
