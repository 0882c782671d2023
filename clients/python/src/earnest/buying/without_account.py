"""Buys without an account: the offered terms are compared with the request, and one signature pays them."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Mapping, NoReturn, Sequence

from .._core.call import Call
from .._core.flow import Flow, Wait, ask
from .._core.resource import FlowTransport
from .._core.transport import Core
from .._generated import types
from .._generated.api import Api
from ..errors import ApiError
from ..settlement import digest_of, permit_data, transfer_authorization_data
from ..sign_in import sign_in_flow
from ..wallet import AnyWallet
from .agreed import AgreedOrder, compare_asked, compare_known, read_agreed
from .chain import read_now
from .errors import OrderEndedError
from .market import Market, Markets, Token, UntrustedOrderError, find_market
from .offered import Offered, choose_terms, is_superseded, purchase_call, request_terms
from .paying import LONGEST_SECONDS, Payment, PaymentFailedError, sign
from .placing import choose_quantity, name_of, read_means, read_service
from .purchase import ENDED, Buying
from .stages import compare_stages
from .tokens import HeldToken, PayWith, choose_token

_TERMS = 3
"""The most terms that a purchase signs. Each has the purchase's nonce, so the token accepts one of them."""
_READS = 15
"""The most reads of a node, one each second, that may be behind the service's node."""


def purchase_nonce(service_id: str, purchase: str, number: int) -> str:
    """Returns the one nonce of all signatures for a purchase without an account.

    The token accepts a nonce once. So no crash, second process or dishonest service can make a wallet pay twice, whatever
    terms the service offers.

    Args:
        purchase: the caller's name of the purchase, or the digest of its request
        number: counts equal purchases, from 1
    """
    return digest_of({"service_id": service_id, "purchase": purchase, "number": number})


@dataclass(frozen=True)
class _Bought:
    order: types.Order
    claim: types.OrderClaim
    error: str | None
    """The error of the order's payment."""
    agreed: AgreedOrder
    token: Token
    market: Market
    unused: Sequence[Offered] = ()
    """All terms that this call has signed and that are not the order's, if the order is not of the last terms."""
    is_earlier: bool = False
    """Whether the order is of no terms that this call has signed."""
    repay: Callable[[], Flow[None]] | None = None
    """Sends the payment again; None if the terms that it pays are not known."""


@dataclass(frozen=True)
class _Buyer:
    core: Core
    wallet: AnyWallet
    markets: Markets
    max_amount: Any | None
    held: Sequence[HeldToken] | None
    compare: Callable[[AgreedOrder, Token], None] | None

    def check(self, agreed: AgreedOrder) -> Flow[tuple[Token, Market]]:
        """Compares the agreement with the caller's facts, and with the wanted order if the caller has one."""
        market = yield from find_market(self.markets, agreed.escrow.chain_id)
        token = yield from compare_known(
            agreed, market, buyer=self.wallet.address, max_amount=self.max_amount, held=self.held
        )
        if self.compare is not None:
            self.compare(agreed, token)
        return token, market

    def read_earlier(self, bought: types.Purchase, signed: Sequence[Offered]) -> Flow[_Bought]:
        """Reads an order that an earlier signature bought, and compares it like new terms."""
        order, claim = bought["order"], bought["claim"]
        reader = Api(FlowTransport(self.core.with_token(claim["token"])))
        agreement = yield from ask(reader.orders.get_agreement(order["id"]))
        agreed = read_agreed(order["id"], order, agreement)
        token, market = yield from self.check(agreed)
        error = bought["payment"]["error"]
        # The service may have been paid by any of the signatures, also by one that it refused.
        unused = [one for one in signed if one.agreed.order_id != order["id"]]
        return _Bought(order, claim, error, agreed, token, market, unused, len(unused) == len(signed))


def buy_without_account_flow(
    core: Core,
    listed: types.ListedService,
    payload: Mapping[str, Any] | None,
    wallet: AnyWallet,
    markets: Markets,
    max_amount: Any | None,
    pay_with: PayWith,
    quantity: int | None,
    arbiter: str | None,
    key: str | None,
    host: str | None,
    on_claim: Callable[[types.OrderClaim], None] | None,
) -> Flow[Buying]:
    """See `Earnest.buy_without_account`."""
    held = read_means(wallet, markets, "x402", pay_with, max_amount)
    agent, service = yield from read_service(Api(FlowTransport(core)), listed)
    count = choose_quantity(service, quantity, max_amount, held)
    asked: dict[str, Any] = {
        "input_payload": payload,
        "buyer_address": wallet.address,
        **({} if quantity is None else {"quantity": quantity}),
        **({} if arbiter is None else {"arbiter": arbiter}),
    }
    body = {**asked, "quantity": count}
    if held is not None:
        body["pay_with"] = choose_token(service, held)

    def compare(agreed: AgreedOrder, token: Token) -> None:
        compare_asked(agreed, service, agent["payout_wallet"], payload, count, arbiter, token)
        compare_stages(agreed, service["stages"], token.decimals)

    buyer = _Buyer(core, wallet, markets, max_amount, held, compare)
    number = 0
    while True:
        number += 1
        nonce = purchase_nonce(service["id"], key or name_of(asked, held), number)
        bought = yield from _pay(buyer, service, body, nonce)
        if on_claim is not None:
            on_claim(bought.claim)
        buying = yield from _open(buyer, bought, host)
        if not bought.unused:
            return buying
        # The service says that this nonce has bought another order. Only the chain shows that it pays no second one.
        is_shown = True
        for terms in bought.unused:
            is_shown = yield from _require_superseded(terms, wallet.address, markets, nonce)
        if not bought.is_earlier or key is not None or buying.order["status"] not in ENDED:
            return buying
        if not is_shown:
            raise OrderEndedError(buying.order["id"], buying.order["status"], "bought again without a key")


def _require_superseded(signed: Offered, payer: str, markets: Markets, nonce: str) -> Flow[bool]:
    """Requires that the nonce has paid other terms than the signed ones. It is False without a node.

    Raises:
        PaymentFailedError: the chain does not show it
    """
    chain = (yield from find_market(markets, signed.agreed.escrow.chain_id)).chain
    if chain is None:
        return False
    yield from _require_shown(
        signed.agreed.order_id,
        "paid_for_another_order",
        lambda: is_superseded(signed, payer, nonce, chain),
    )
    return True


def resume_without_account_flow(
    core: Core, claim: types.OrderClaim, wallet: AnyWallet, markets: Markets, host: str | None
) -> Flow[Buying]:
    """See `Earnest.resume_without_account`."""
    found = re.search(r"/orders/(ord_\w+)$", claim["order_url"])
    if found is None:
        raise TypeError(f"The claim has no order: {claim['order_url']}.")
    reader = Api(FlowTransport(core.with_token(claim["token"])))
    order = yield from ask(reader.orders.get(found[1]))
    payment = (yield from ask(reader.orders.get_payment(found[1])))["payment"]
    if payment is None:
        raise UntrustedOrderError(found[1], "payment", "a payment", None)
    buyer = _Buyer(core, wallet, markets, None, None, None)
    bought = yield from buyer.read_earlier({"order": order, "payment": payment, "claim": claim}, ())
    return (yield from _open(buyer, bought, host))


def _pay(buyer: _Buyer, service: types.Service, body: Mapping[str, Any], nonce: str) -> Flow[_Bought]:
    """Pays for terms that are as wanted. Terms that expired or changed meanwhile are replaced, and signed by the same
    nonce."""
    signed: list[Offered] = []
    for left in range(_TERMS - 1, -1, -1):
        offered = yield from request_terms(buyer.core, service, body)
        terms = yield from choose_terms(
            offered, buyer.wallet.address, buyer.markets, nonce, signed[0] if signed else None
        )
        token, market = yield from buyer.check(terms.agreed)
        payload = yield from _sign_terms(terms, token, buyer.wallet, market, nonce)
        signed.append(terms)
        paid = {"x402Version": 2, "accepted": terms.accepted, "payload": payload}
        header = base64.b64encode(json.dumps(paid).encode()).decode()
        call = purchase_call(service, body, header)
        order_id = terms.agreed.order_id
        try:
            bought: types.Purchase = yield from buyer.core.send(call, None)
        except ApiError as error:
            if left > 0 and error.details and str(error.details[0].get("keyword")).startswith("terms_"):
                continue
            _fail(order_id, error)
        if bought["order"]["id"] != order_id:
            return (yield from buyer.read_earlier(bought, signed))
        repay = partial(_send_again, buyer.core, call, order_id)
        return _Bought(bought["order"], bought["claim"], None, terms.agreed, token, market, repay=repay)
    raise AssertionError("The last round returns or raises.")


def _send_again(core: Core, call: Call[Any], order_id: str) -> Flow[None]:
    try:
        yield from core.send(call, None)
    except ApiError as error:
        _fail(order_id, error)


def _fail(order_id: str, error: ApiError) -> NoReturn:
    if error.status != 402:
        raise error
    reason = error.details[0].get("keyword") if error.details else error.message
    raise PaymentFailedError(order_id, str(reason)) from error


def _sign_terms(
    terms: Offered, token: Token, wallet: AnyWallet, market: Market, nonce: str
) -> Flow[dict[str, Any]]:
    """Signs the payment of terms in x402's form."""
    escrow = terms.agreed.escrow
    name, version = terms.read_domain(token)
    now = yield from read_now(market.chain)
    until = now + max(1, min(LONGEST_SECONDS, escrow.terms.fund_by - now))
    if terms.is_permit:
        data = permit_data(escrow, nonce=int(nonce, 16), deadline=until)
        signature = yield from sign(wallet, data)
        message = {"from": wallet.address, **data["message"]}
        return {"signature": signature, "permit2Authorization": message}
    data = transfer_authorization_data(
        escrow,
        token_name=name,
        token_version=version,
        payer=wallet.address,
        valid_before=until,
        nonce=nonce,
    )
    signature = yield from sign(wallet, data)
    return {"signature": signature, "authorization": data["message"]}


def _open(buyer: _Buyer, bought: _Bought, host: str | None) -> Flow[Buying]:
    """Follows the order by its claim until it is funded."""
    agreed, market, wallet, core = bought.agreed, bought.market, buyer.wallet, buyer.core
    order_id = bought.order["id"]
    read_agreed(order_id, bought.order, agreed.agreement)
    reader = core.with_token(bought.claim["token"])

    def sign_in() -> Flow[Api]:
        """Signs in by the wallet that paid, because a claim only reads."""
        session = core.with_token(None)
        yield from sign_in_flow(session, wallet, agreed.escrow.chain_id, host, None)
        return Api(FlowTransport(session))

    def fail() -> Flow[None]:
        yield from ()
        raise PaymentFailedError(order_id, bought.error or "transaction_failed")

    payment = Payment(Api(FlowTransport(reader)), agreed, bought.token, wallet, market.chain, "x402")
    buying = Buying(reader, market, payment, bought.order, act_as=sign_in, claim=bought.claim)
    yield from buying.follow(bought.repay or fail)
    chain = market.chain
    if chain is not None:
        yield from _require_shown(order_id, "no_escrow_on_chain", lambda: chain.has_escrow(agreed.escrow))
    return buying


def _require_shown(order_id: str, reason: str, read: Callable[[], Flow[bool]]) -> Flow[None]:
    """Reads the chain until it shows what the service has shown.

    Raises:
        PaymentFailedError: with the reason, if the chain does not show it
    """
    for _ in range(_READS):
        if (yield from read()):
            return
        yield Wait(1)
    raise PaymentFailedError(order_id, reason)
