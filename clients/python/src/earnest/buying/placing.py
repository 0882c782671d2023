"""Places an order once, or finds it again, and compares it with the request before anything is signed."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Callable, Mapping, Sequence

from typing_extensions import TypeAlias

from .._core.call import OMITTED, RawResponse, RequestOptions
from .._core.flow import Flow, ask
from .._core.resource import FlowTransport
from .._core.transport import Core, captured
from .._generated import types
from .._generated.api import Api
from ..errors import ApiError
from ..settlement import digest_of
from ..wallet import AnyWallet
from .agreed import AgreedOrder, compare_asked, compare_known, read_agreed
from .market import Markets, Token, create_comparison, find_market, list_markets
from .paying import Payment, assert_payable
from .purchase import ENDED, Buying
from .stages import compare_stages
from .tokens import HeldToken, PayWith, choose_token, names_of, read_held

OnAgreed: TypeAlias = Callable[[types.Order, AgreedOrder], None]
"""A callback before the payment, with an order that matches the request. If it raises, nothing is paid."""


def buy_flow(
    core: Core,
    listed: types.ListedService,
    payload: Mapping[str, Any] | None,
    wallet: AnyWallet,
    market: Markets,
    max_amount: Any | None,
    pay_with: PayWith,
    rail: types.SettlementRail,
    quantity: int | None,
    arbiter: str | None,
    key: str | None,
    on_agreed: OnAgreed | None = None,
) -> Flow[Buying]:
    """See `Earnest.buy`."""
    held = read_means(wallet, market, rail, pay_with, max_amount)
    api = Api(FlowTransport(core))
    agent, service = yield from read_service(api, listed)
    count = choose_quantity(service, quantity, max_amount, held)
    asked: dict[str, Any] = {
        "service_id": service["id"],
        "input_payload": payload,
        "settlement_rail": rail,
        "buyer_address": wallet.address,
        **({} if quantity is None else {"quantity": quantity}),
        **({} if arbiter is None else {"arbiter": arbiter}),
    }
    base = key or f"buy-{name_of(asked, held)[2:50]}"
    request = {**asked, "quantity": count} if _needs_quantity(service) else dict(asked)
    if held is not None:
        request["pay_with"] = choose_token(service, held)
    order = yield from _place_once(api, request, base, is_named=key is not None)
    create_comparison(order["id"])("order.settlement_rail", rail, order["settlement_rail"])

    def compare_more(agreed: AgreedOrder, token: Token) -> None:
        compare_asked(agreed, service, agent["payout_wallet"], payload, count, arbiter, token)
        compare_stages(agreed, service["stages"], token.decimals)

    return (yield from _fund(core, order, wallet, market, max_amount, held, compare_more, on_agreed))


def buy_quote_flow(
    core: Core,
    quote: types.Quote,
    payload: Mapping[str, Any] | None,
    wallet: AnyWallet,
    market: Markets,
    max_amount: Any | None,
    pay_with: PayWith,
    rail: types.SettlementRail,
    arbiter: str | None,
) -> Flow[Buying]:
    """See `Earnest.buy_quote`."""
    held = read_means(wallet, market, rail, pay_with, max_amount)
    api = Api(FlowTransport(core))
    agent, service = yield from _read_service(api, quote["agent"]["slug"], quote["service"]["slug"])
    create_comparison(None)("quote.service.id", service["id"], quote["service"]["id"])
    quoted: Any = {**service, "delivery_time_hours": quote["delivery_time_hours"]}
    order_id = (yield from ask(api.quotes.get(quote["id"])))["order_id"]
    is_placed = order_id is not None
    if order_id is None:
        accepted = api.quotes.accept(
            quote["id"],
            input_payload=payload,
            settlement_rail=rail,
            buyer_address=wallet.address,
            arbiter=OMITTED if arbiter is None else arbiter,
            pay_with=OMITTED if held is None else choose_token(service, held),
            # The key makes two simultaneous acceptances one order.
            options=RequestOptions(idempotency_key=f"quote-{quote['id']}"),
        )
        order_id = (yield from ask(accepted))["id"]
    order = yield from ask(api.orders.get(order_id))
    # An order of an earlier acceptance keeps its rail.
    if not is_placed:
        create_comparison(order["id"])("order.settlement_rail", rail, order["settlement_rail"])

    def compare_more(agreed: AgreedOrder, token: Token) -> None:
        compare_asked(agreed, quoted, agent["payout_wallet"], payload, 1, arbiter, token, quote)
        compare_stages(agreed, quote["stages"], token.decimals)

    return (yield from _fund(core, order, wallet, market, max_amount, held, compare_more))


def resume_flow(
    core: Core,
    order_id: str,
    wallet: AnyWallet,
    market: Markets,
    max_amount: Any | None,
    pay_with: PayWith,
    on_agreed: OnAgreed | None = None,
) -> Flow[Buying]:
    """See `Earnest.resume`."""
    api = Api(FlowTransport(core))
    order = yield from ask(api.orders.get(order_id))
    if order["status"] == "created" and max_amount is None and pay_with is None:
        raise TypeError(f"{order_id} is not paid yet. Pass max_amount, the most that you pay.")
    # A paid order needs no maximum.
    held = read_held(pay_with, max_amount if order["status"] == "created" else "0")
    return (yield from _fund(core, order, wallet, market, max_amount, held, on_agreed=on_agreed))


def read_means(
    wallet: AnyWallet,
    markets: Markets,
    rail: types.SettlementRail,
    pay_with: PayWith,
    max_amount: Any | None,
) -> Sequence[HeldToken] | None:
    """Returns the held tokens. Raises TypeError if the buyer cannot pay, before an order is placed."""
    chains = [market.chain for market in list_markets(markets)]
    assert_payable(wallet, next((chain for chain in chains if chain is not None), None), rail)
    return read_held(pay_with, max_amount)


def _fund(
    core: Core,
    order: types.Order,
    wallet: AnyWallet,
    markets: Markets,
    max_amount: Any | None,
    held: Sequence[HeldToken] | None,
    compare_more: Callable[[AgreedOrder, Token], None] | None = None,
    on_agreed: OnAgreed | None = None,
) -> Flow[Buying]:
    """Compares an order with its agreement and the buyer's facts, and pays it."""
    api = Api(FlowTransport(core))
    agreement = yield from ask(api.orders.get_agreement(order["id"]))
    agreed = read_agreed(order["id"], order, agreement)
    market = yield from find_market(markets, agreed.escrow.chain_id)
    token = yield from compare_known(agreed, market, buyer=wallet.address, max_amount=max_amount, held=held)
    if compare_more is not None:
        compare_more(agreed, token)
    if on_agreed is not None:
        on_agreed(order, agreed)
    payment = Payment(api, agreed, token, wallet, market.chain, order["settlement_rail"])
    buying = Buying(core, market, payment, order)
    yield from buying.fund()
    return buying


def _read_service(api: Api, agent_slug: str, slug: str) -> Flow[tuple[Any, types.Service]]:
    """Reads a service and its agent, which has a payout wallet."""
    agent = yield from ask(api.agents.get(agent_slug))
    service = yield from ask(api.services.get(agent_slug, slug))
    if agent["payout_wallet"] is None:
        raise TypeError(f"The agent {agent_slug} has no payout wallet.")
    return agent, service


def read_service(api: Api, listed: types.ListedService) -> Flow[tuple[Any, types.Service]]:
    """Reads a chosen service and its agent.

    Raises:
        UntrustedOrderError: the service was changed: a changed price needs the caller's consent
    """
    agent, service = yield from _read_service(api, listed["agent"]["slug"], listed["slug"])
    for name in ("id", "price", "price_currency"):
        create_comparison(None)(f"service.{name}", listed.get(name), service.get(name))
    return agent, service


def choose_quantity(
    service: types.Service, quantity: int | None, max_amount: Any | None, held: Sequence[HeldToken] | None
) -> int:
    """Returns the quantity of a purchase. Without one, a metered service or a session is bought with its maximum, or else
    with as many units as the maximum amount pays.

    Raises:
        TypeError: the maximum pays no unit
    """
    if quantity is not None:
        return quantity
    if not _is_measured(service):
        return service["min_quantity"]
    most = service["max_quantity"]
    if most is not None:
        return most
    limit = max_amount if held is None or held[0].max_amount is None else held[0].max_amount
    price = Decimal(service["price"] or "0")
    units = int(Decimal(str(limit)) // price) if price > 0 else 0
    if units < 1:
        raise TypeError(f"max_amount {limit} is below the price of one unit, which is {service['price']}.")
    return units


def name_of(asked: Mapping[str, Any], held: Sequence[HeldToken] | None) -> str:
    """Names a purchase by what the caller asked for: all held tokens, not the chosen one, and no quantity that the service's
    limits chose. A service that changes its tokens or its limits later is not paid twice."""
    return digest_of(dict(asked) if held is None else {**asked, "pay_with": names_of(held)})


def _needs_quantity(service: types.Service) -> bool:
    """Tells whether an order of the service has to name its quantity."""
    return _is_measured(service) and service["max_quantity"] is None


def _is_measured(service: types.Service) -> bool:
    return service["pricing_model"] in ("metered", "per_call")


def _place_once(api: Api, request: dict[str, Any], base: str, *, is_named: bool) -> Flow[types.Order]:
    """Places the order exactly once, even across restarts.

    Args:
        base: the idempotency key; later orders of an equal purchase number it
        is_named: whether the caller chose the key, which then always means the same purchase
    """
    number = 0
    while True:
        number += 1
        options = RequestOptions(idempotency_key=base if number == 1 else f"{base}.{number}")
        responses: list[RawResponse] = []
        token = captured.set(responses)
        try:
            order = yield from ask(api.orders.place(**request, options=options))
        except ApiError as error:
            # A replayed refusal created nothing, and its cause may be gone: the next key is tried.
            if error.status >= 500 or not _is_replay(error.headers):
                raise
            continue
        finally:
            captured.reset(token)
        if not _is_replay(responses[-1].headers):
            return order
        # A replay has the order as it was placed, so its present state is read.
        order = yield from ask(api.orders.get(order["id"]))
        if is_named or order["status"] not in ENDED:
            return order


def _is_replay(headers: Mapping[str, str]) -> bool:
    return headers.get("idempotent-replayed") == "true"
