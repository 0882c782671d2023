"""Buying from a real service."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Callable

import pytest
from proxy import Proxy, put
from test_life import rpc_url, wait_until
from test_service import chain_id, connect, offer_service, sign_in, url  # noqa: F401
from trading import (
    CountingWallet,
    amount,
    balance,
    chain_status,
    deliver,
    join,
    join_with_service,
    market,
    payload,
    rich_wallet,
)

import earnest
from earnest import LocalWallet, Market, PaymentToken, UntrustedOrderError
from earnest.receipts import Verifier, issuer_of

Connect = Callable[..., Any]


@pytest.fixture
def parties(connect: Connect) -> tuple[Any, LocalWallet, Any, CountingWallet, Any]:  # noqa: F811
    provider, payout = sign_in(connect)
    _, service = offer_service(provider, payout)
    buyer = connect()
    wallet = rich_wallet()
    buyer.sign_in(wallet, chain_id=chain_id)
    return provider, payout, buyer, wallet, service


def test_buys_and_accepts_and_pays_once(parties: Any) -> None:
    provider, payout, buyer, wallet, service = parties
    terms = {"wallet": wallet, "market": market()}
    purchase = buyer.buy(service, payload, max_amount=Decimal("2.50"), **terms)
    assert purchase.order["status"] == "funded"
    # The program is started again, before and after the delivery.
    again = buyer.buy(service, payload, max_amount="2.50", **terms)
    assert again.order_id == purchase.order_id
    assert wallet.signed == ["ReceiveWithAuthorization"]
    deliver(provider, payout, purchase.order_id)
    delivery = purchase.delivery()
    assert delivery.output == {"characters": 9}
    receipt = buyer.resume(purchase.order_id, **terms).accept()
    assert receipt.verified.claim == "released"
    assert receipt.chain.agrees
    assert again.accept().verified.document == receipt.verified.document
    assert wallet.signed == ["ReceiveWithAuthorization", "Release"]
    assert (balance(wallet.address), balance(payout.address)) == (9 * amount, amount)
    with pytest.raises(earnest.OrderEndedError, match="released and will not be disputed"):
        purchase.dispute("too late")


def read_statement(client: Any, slug: str) -> Any:
    try:
        return client.agents.record.get_statement(slug)
    except earnest.NotFoundError:
        return None


def test_a_released_order_is_reviewed_as_everybody_reads(parties: Any) -> None:
    provider, payout, buyer, wallet, service = parties
    purchase = buyer.buy(service, payload, max_amount="2.50", wallet=wallet, market=market())
    deliver(provider, payout, purchase.order_id)
    purchase.delivery()
    purchase.accept()
    slug = service["agent"]["slug"]
    lines = [one["order_id"] for one in buyer.agents.record.list_outcomes(slug, limit=1)]
    assert lines == [purchase.order_id]
    assert buyer.agents.record.get(slug)["agent"]["slug"] == slug
    assert buyer.agents.record.list_counterparties(slug).body["total"] <= 1
    statement = wait_until(lambda: read_statement(buyer, slug))
    with Verifier(issuer_of(url)) as verifier:
        assert verifier.verify_record_statement(statement, agent=slug).valid
        assert not verifier.verify_receipt(statement).valid
    assert buyer.reviews.get_for_order(purchase.order_id)["review"] is None
    written = buyer.reviews.write(purchase.order_id, rating=4, text="Counted, as told.")
    buyer.reviews.edit(purchase.order_id, rating=5, text=None)
    provider.reviews.answer(written["id"], text="Gladly.")
    provider.reports.create(
        subject={"kind": "review", "id": written["id"]},
        reason="other",
        text="A test of reports.",
    )
    read = buyer.reviews.get(written["id"])
    assert (read["rating"], read["text"], read["settled"]) == (5, None, True)
    assert (read["answer"]["text"], read["disputed_by_provider"], read["marked"]) == ("Gladly.", True, False)
    with earnest.Earnest(url) as anybody:
        page = anybody.reviews.list(service["agent"]["slug"], limit=1)
        assert [one["id"] for one in page.items] == [written["id"]]
        assert page.body["summary"]["average"] == 5
    gone = buyer.reviews.withdraw(purchase.order_id)
    assert (gone["id"], gone["rating"], gone["answer"]) == (written["id"], None, None)


def test_changes_and_a_dispute(parties: Any) -> None:
    provider, payout, buyer, wallet, service = parties
    purchase = buyer.buy(service, payload, max_amount="3", wallet=wallet, market=market())
    deliver(provider, payout, purchase.order_id)
    purchase.delivery()
    assert purchase.request_changes("More.")["status"] == "started"
    assert purchase.request_changes("More.")["status"] == "started"
    assert purchase.dispute("Nothing came.")["status"] == "disputed"
    assert purchase.dispute("Nothing came.")["status"] == "disputed"
    assert wallet.signed == ["ReceiveWithAuthorization", "Dispute"]


def test_a_refund_by_the_provider(parties: Any) -> None:
    provider, payout, buyer, wallet, service = parties
    purchase = buyer.buy(service, payload, max_amount="3", wallet=wallet, market=market())
    to_sign = provider.orders.get_refund_to_sign(purchase.order_id)["typed_data"]
    provider.orders.refund(
        purchase.order_id,
        signature=payout.sign_typed_data(to_sign),
        deadline=to_sign["message"]["deadline"],
    )
    assert purchase.refund()["status"] == "refunded"
    assert balance(wallet.address) == 10 * amount
    with pytest.raises(earnest.OrderEndedError):
        purchase.delivery()


def test_above_its_limits_a_key_pays_nothing_before_an_owner_approves(
    parties: Any,
    connect: Connect,  # noqa: F811
) -> None:
    _, _, buyer, wallet, service = parties
    limits = {"approval_above": "2.49", "max_open_orders": 1}
    scopes = ["orders:read", "orders:write", "webhooks:read"]
    key = buyer.api_keys.create(name="shopper", scopes=scopes, limits=limits)
    shopper = connect(api_key=key["token"])
    terms = {"wallet": wallet, "market": market()}
    with pytest.raises(earnest.ApprovalRequiredError, match="waits for the approval") as waits:
        shopper.buy(service, payload, max_amount="3", **terms)
    order = waits.value.order
    assert order["approval"] is not None
    assert order["approval"]["status"] == "pending"
    with pytest.raises(earnest.PermissionDeniedError) as over:
        shopper.buy(service, {"text": "another"}, max_amount="3", **terms)
    assert over.value.code == "spend_limit_exceeded"
    assert over.value.spend_limit is not None
    assert over.value.spend_limit["limit"] == "max_open_orders"
    assert wallet.signed == []
    buyer.orders.decide_approval(order["id"], decision="approve")
    purchase = shopper.resume(order["id"], max_amount="3", **terms)
    assert (purchase.order_id, purchase.order["status"]) == (order["id"], "funded")
    own = buyer.orders.place(service_id=service["id"], input_payload=payload)
    with pytest.raises(earnest.ApprovalRequiredError):
        shopper.resume(own["id"], max_amount="3", **terms)
    assert wallet.signed == ["ReceiveWithAuthorization"]


def test_more_than_the_most_is_not_paid(parties: Any) -> None:
    _, _, buyer, wallet, service = parties
    with pytest.raises(UntrustedOrderError, match=r"at most 2\.49"):
        buyer.buy(service, payload, max_amount="2.49", wallet=wallet, market=market())
    with pytest.raises(TypeError, match="is not an amount"):
        buyer.buy(service, payload, max_amount=2.5, wallet=wallet, market=market())
    order = buyer.orders.place(service_id=service["id"], input_payload=payload)
    with pytest.raises(TypeError, match="is not paid yet"):
        buyer.resume(order["id"], wallet=wallet, market=market())
    assert wallet.signed == []


def test_another_market_is_not_paid(service: Any) -> None:
    buyer = join()
    token, contract = chain_status()["token_address"], chain_status()["escrow_contract"]
    evil = LocalWallet.create().address
    for other, field in (
        (Market(1, contract, PaymentToken(token, 6)), "agreement.chain"),
        (Market(1, rpc_url=rpc_url), "agreement.chain"),
        (Market(chain_id, evil, PaymentToken(token, 6)), "agreement.escrow_contract"),
        (Market(rpc_url=rpc_url, escrow_contract=evil), "agreement.escrow_contract"),
        (Market(rpc_url=rpc_url, provider=evil), "agreement.provider"),
        (Market(chain_id, contract, PaymentToken(evil, 6)), "agreement.token.address"),
        (Market(chain_id, contract, PaymentToken(token, 18)), "agreement.token.decimals"),
    ):
        with pytest.raises(UntrustedOrderError) as refused:
            buyer.buy(service, market=other)
        assert refused.value.field == field
    with pytest.raises(TypeError, match="The payment token of chain 31337 is unknown"):
        buyer.buy(service, market=Market(chain_id, contract))
    with pytest.raises(TypeError, match="Pass Market an rpc_url"):
        Market(chain_id)
    assert buyer.wallet.signed == []


def test_without_a_node_where_the_contract_is_known(service: Any) -> None:
    buyer = join()
    known = Market(
        chain_id, chain_status()["escrow_contract"], PaymentToken(chain_status()["token_address"], 6)
    )
    assert buyer.buy(service, market=known).order["status"] == "funded"
    assert buyer.spent() == amount


@pytest.fixture(scope="module")
def service() -> Any:
    return join_with_service()[1]


def test_pays_by_two_calls_of_the_wallet_once(parties: Any) -> None:
    _, _, buyer, wallet, service = parties
    terms = {"wallet": wallet, "market": market(), "max_amount": "2.5", "rail": "escrow"}
    purchase = buyer.buy(service, payload, **terms)
    assert purchase.order["status"] == "funded"
    assert buyer.buy(service, payload, **terms).order_id == purchase.order_id
    assert wallet.signed == ["transaction", "transaction"]
    assert balance(wallet.address) == 9 * amount


def test_two_wallet_calls_need_a_wallet_that_sends_a_node_and_gas(service: Any) -> None:
    buyer = join()

    class Signer:
        """Signs, and sends nothing."""

        address = buyer.wallet.address
        sign_text = buyer.wallet.sign_text
        sign_typed_data = buyer.wallet.sign_typed_data

    known = Market(chain_id, chain_status()["escrow_contract"])
    for more in ({"wallet": Signer()}, {"market": known}):
        with pytest.raises(TypeError, match="needs a wallet with sign_transaction"):
            buyer.buy(service, rail="escrow", **more)
    assert list(buyer.client.orders.list()) == []
    poor = CountingWallet(LocalWallet.create().key)
    buyer.client.close()
    with earnest.Earnest(url) as client:
        client.sign_in(poor, chain_id=chain_id)
        with pytest.raises(earnest.NodeError):
            client.buy(service, payload, wallet=poor, market=market(), max_amount="3", rail="escrow")


@pytest.mark.parametrize("rail", ["x402", "escrow"])
def test_a_service_that_denies_the_payment_is_not_paid_again(rail: str, service: Any) -> None:
    """The client reads the chain: it has the money, whatever the service says."""
    buyer = join()
    shown: dict[str, Any] = {}
    denials = 0

    def lie(call: str, answer: Any) -> Any:
        nonlocal denials
        if call.endswith("/payment-instructions") and "order_id" in answer:
            return shown.setdefault("instructions", answer)
        if "funded" not in shown:
            return answer
        if call.endswith("/payment-instructions"):
            return shown["instructions"]
        if call.endswith("/payment"):
            return {**answer, "payment": None}
        if call.startswith("GET /api/v1/orders/ord_") and "status" in answer and denials < 1:
            denials += 1
            return {**answer, "status": "created"}
        return answer

    with (
        Proxy(url) as server,
        Proxy(rpc_url) as node,
        earnest.Earnest(server.url, api_key=buyer.token) as client,
    ):
        server.change_responses(lie)
        terms: Any = {"wallet": buyer.wallet, "market": market(node.url), "max_amount": "3", "rail": rail}
        first = client.buy(service, payload, **terms)
        shown["funded"], signed = True, list(buyer.wallet.signed)
        node.calls.clear()
        assert client.buy(service, payload, **terms).order_id == first.order_id
        assert denials == 1
        assert "POST / eth_call" in node.calls
        assert "POST / eth_sendRawTransaction" not in node.calls
    assert buyer.wallet.signed == signed
    assert buyer.spent() == amount


@pytest.mark.parametrize("rail", ["x402", "escrow"])
def test_a_node_whose_latest_block_is_replaced_while_it_looks_is_asked_again(rail: Any, service: Any) -> None:
    buyer = join()
    replaced = {"code": -32602, "message": "BlockOutOfRangeError: block height is 8 but requested was 7"}
    refused: set[str] = set()
    with Proxy(rpc_url) as node:

        def lie(call: str, answer: Any) -> Any:
            if call in refused or call.endswith("eth_sendRawTransaction"):
                return answer
            refused.add(call)
            return {"jsonrpc": "2.0", "id": 1, "error": replaced}

        node.change_responses(lie)
        terms: Any = {"wallet": buyer.wallet, "market": market(node.url), "max_amount": "3", "rail": rail}
        purchase = buyer.client.buy(service, payload, **terms)
    assert purchase.order["status"] == "funded"
    assert "POST / eth_call" in refused


def test_a_node_that_is_down_keeps_from_paying(service: Any) -> None:
    buyer = join()
    with pytest.raises(earnest.NodeError, match="eth_chainId"):
        buyer.buy(service, market=market("http://127.0.0.1:1"))
    assert buyer.wallet.signed == []


@pytest.mark.parametrize(
    "error", [{"code": -32603, "message": "Internal error"}, {"code": -32005, "message": "limit exceeded"}]
)
def test_a_node_that_cannot_tell_of_the_token_is_no_reason_to_distrust_it(
    error: dict[str, Any], service: Any
) -> None:
    buyer = join()
    with Proxy(rpc_url) as node:
        node.change_responses(
            lambda call, told: {"id": 1, "error": error} if call.endswith("eth_call") else told
        )
        with pytest.raises(earnest.NodeError, match=error["message"]) as refused:
            buyer.buy(service, market=market(node.url))
        assert not refused.value.reverted
        assert buyer.wallet.signed == []
        node.change_responses(None)
        assert buyer.buy(service, market=market(node.url)).order["status"] == "funded"


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"code": 3, "message": "execution reverted"}},
        {"result": "0x"},
        {"result": "0x" + "f" * 64},
        {"result": f"0x{18:064x}"},
    ],
)
def test_a_token_that_answers_wrongly_is_not_trusted(answer: dict[str, Any], service: Any) -> None:
    buyer = join()
    with Proxy(rpc_url) as node:
        node.change_responses(lambda call, told: {"id": 1, **answer} if call.endswith("eth_call") else told)
        with pytest.raises(UntrustedOrderError) as refused:
            buyer.buy(service, market=market(node.url))
    assert refused.value.field.startswith("agreement.token.")
    assert buyer.wallet.signed == []


def test_the_buyer_sends_the_refund_itself_once_the_time_to_deliver_is_over(service: Any) -> None:
    """Other tests use the chain's clock too, so the test changes the node's response with the time."""
    buyer = join()
    purchase = buyer.buy(service)
    with Proxy(rpc_url) as node:
        late = hex(purchase.agreed.escrow.terms.fund_by + 30 * 86_400)
        node.change_responses(put("eth_getBlockByNumber$", "result.timestamp", late))
        again = buyer.client.resume(purchase.order_id, wallet=buyer.wallet, market=market(node.url))
        # The contract uses its own clock, and refuses.
        with pytest.raises(earnest.NodeError) as refused:
            again.refund()
    assert (refused.value.method, refused.value.reverted) == ("eth_estimateGas", True)
    assert buyer.client.orders.get(purchase.order_id)["status"] == "funded"
