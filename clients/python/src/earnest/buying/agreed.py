"""The checks of an order before its buyer signs anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from .._core.exact import from_base_units, to_base_units
from .._core.flow import Flow
from .._core.times import read_time
from .._generated import types
from ..errors import NodeError
from ..settlement import VOUCHERS_ONLY, DerivedDeposit, checksum_address, derive_deposit, digest_of
from .market import USDC, Market, Token, UntrustedOrderError, create_comparison
from .tokens import HeldToken, find_accepted, price_in

ZERO = "0x" + "0" * 40
_LONGEST_DISPUTE = 90 * 86_400
"""The most seconds that a dispute and its appeal may hold the money: 90 days."""
LOCAL = 31_337
"""The chain of a local node."""


@dataclass(frozen=True)
class AgreedOrder:
    """An order with its agreement, and the recomputed addresses that its money goes to."""

    order_id: str
    agreement: Mapping[str, Any]
    escrow: DerivedDeposit


def read_agreed(order_id: str, order: types.Order, agreement: Mapping[str, Any]) -> AgreedOrder:
    """Recomputes an order from its agreement, and compares the order that the service shows with it."""
    compare = create_comparison(order_id)
    try:
        escrow = derive_deposit(agreement)
    except (ValueError, TypeError) as error:
        raise UntrustedOrderError(order_id, "agreement", "an agreement", str(error)) from error
    terms, shown = escrow.terms, order["escrow"]
    compare("order.id", order_id, order["id"])
    compare("agreement.order_id", order_id, agreement.get("order_id"))
    for name in ("service_id", "agent_id", "quantity"):
        compare(f"order.{name}", agreement.get(name), order.get(name))
    compare("order.buyer_address", terms.buyer, order["buyer_address"])
    compare("order.provider_address", terms.provider, order["provider_address"])
    compare("order.arbiter", terms.arbiter, order["arbiter"])
    compare("order.total_amount_base_units", str(terms.amount), order["total_amount_base_units"])
    deadline = read_time(order["funding_deadline"])
    compare("order.funding_deadline", float(terms.fund_by), deadline.timestamp() if deadline else None)
    compare("order.escrow.chain_id", escrow.chain_id, shown["chain_id"])
    compare("order.escrow.contract_address", escrow.escrow_contract, shown["contract_address"])
    compare("order.escrow.escrow_id", escrow.escrow_id, shown["escrow_id"])
    compare("order.escrow.deposit_address", escrow.deposit_address, shown["deposit_address"])
    return AgreedOrder(order_id, agreement, escrow)


def compare_asked(
    agreed: AgreedOrder,
    service: types.Service,
    payout_wallet: str,
    payload: Mapping[str, Any] | None,
    quantity: int,
    arbiter: str | None,
    token: Token,
    quoted: types.Quote | None = None,
) -> None:
    """Compares the agreement with the requested order: service, schemas, input, token, price, provider, arbiter, windows.

    Args:
        token: the order's token, as `compare_known` returns it
        quoted: the quote, whose price takes the place of the service's
    """
    is_session = service["pricing_model"] == "per_call"
    compare = create_comparison(agreed.order_id)
    if quoted is not None:
        compare("quote.currency", service["price_currency"], quoted["currency"])
    # The windows and arbiters are those of the token's chain.
    accepted = find_accepted(agreed.order_id, agreed.escrow, service)
    price = None if quoted is None else quoted["price"]
    unit_price = price_in(agreed.order_id, agreed.escrow, service, token, price)
    expected: dict[str, object] = {
        "agent_id": service["agent"]["id"],
        "agent_slug": service["agent"]["slug"],
        "service_id": service["id"],
        "service_slug": service["slug"],
        "service_title": service["title"],
        "pricing_model": service["pricing_model"],
        "input_schema_digest": _digest_or_none(service["input_schema"]),
        "output_schema_digest": _digest_or_none(service["output_schema"]),
        "input_digest": _digest_or_none(payload),
        "quantity": quantity,
        "unit_price_base_units": str(unit_price),
        "amount_base_units": str(unit_price * quantity),
        "provider": checksum_address(payout_wallet),
        "delivery_window_seconds": service["delivery_time_hours"] * 3600,
        "acceptance_window_seconds": VOUCHERS_ONLY if is_session else accepted["acceptance_hours"] * 3600,
    }
    session = service["session"]
    if session is not None:
        expected |= {"endpoint_url": session["endpoint_url"], "session_key": session["session_key"]}
    for name, value in expected.items():
        compare(f"agreement.{name}", value, agreed.agreement.get(name))
    found = agreed.escrow.terms.arbiter
    if is_session:
        # A session has no disputes.
        compare("agreement.arbiter", ZERO, found)
    elif arbiter is not None:
        compare("agreement.arbiter", checksum_address(arbiter), found)
    elif found == ZERO or found not in accepted["arbiters"]:
        # An order without an arbiter needs the caller's explicit choice.
        arbiters = " or ".join(one for one in accepted["arbiters"] if one != ZERO)
        raise UntrustedOrderError(agreed.order_id, "agreement.arbiter", arbiters, found)


def compare_known(
    agreed: AgreedOrder,
    market: Market,
    *,
    buyer: str | None = None,
    max_amount: Any | None = None,
    held: Sequence[HeldToken] | None = None,
) -> Flow[Token]:
    """Compares the agreement with the caller's facts and limits, and with the chain: buyer, maximum amount, token and
    contract.

    Returns:
        The payment token
    """
    compare, escrow, chain = create_comparison(agreed.order_id), agreed.escrow, market.chain
    terms = escrow.terms
    if buyer is not None:
        compare("agreement.buyer", checksum_address(buyer), terms.buyer)
    if market.provider is not None:
        compare("agreement.provider", checksum_address(market.provider), terms.provider)
    if chain is not None:
        compare("agreement.chain", (yield from chain.read_chain_id()), escrow.chain_id)
    if market.chain_id is not None:
        compare("agreement.chain", market.chain_id, escrow.chain_id)
    if market.escrow_contract is not None:
        known = checksum_address(market.escrow_contract)
        compare("agreement.escrow_contract", known, escrow.escrow_contract)
    elif chain is not None:
        difference = yield from chain.find_code_difference(escrow)
        if difference is not None:
            expected = "the escrow contract"
            raise UntrustedOrderError(agreed.order_id, "agreement.escrow_contract", expected, difference)
    named = None if held is None else _find_held(agreed, held)
    token = yield from _find_token(agreed, market, named)
    compare("agreement.token.address", checksum_address(token.address), terms.token)
    compare("agreement.token.decimals", token.decimals, agreed.agreement["token"].get("decimals"))
    most = max_amount if named is None or named.max_amount is None else named.max_amount
    if most is not None and terms.amount > to_base_units(most, token.decimals):
        amount = from_base_units(terms.amount, token.decimals)
        raise UntrustedOrderError(agreed.order_id, "agreement.amount_base_units", f"at most {most}", amount)
    if terms.dispute_window + terms.appeal_window > _LONGEST_DISPUTE:
        found = terms.dispute_window + terms.appeal_window
        raise UntrustedOrderError(
            agreed.order_id, "agreement.dispute_window_seconds", f"at most {_LONGEST_DISPUTE}", found
        )
    return token


def _find_held(agreed: AgreedOrder, held: Sequence[HeldToken]) -> HeldToken:
    """Finds an order's token among the buyer's."""
    chain_id, address = agreed.escrow.chain_id, agreed.escrow.terms.token
    there = [one for one in held if one.chain_id == chain_id]
    if not there:
        chains = " or ".join(str(one.chain_id) for one in held)
        raise UntrustedOrderError(agreed.order_id, "agreement.chain", chains, chain_id)
    for one in there:
        if checksum_address(one.token) == address:
            return one
    expected = " or ".join(one.token for one in there)
    raise UntrustedOrderError(agreed.order_id, "agreement.token.address", expected, address)


def _find_token(agreed: AgreedOrder, market: Market, named: HeldToken | None) -> Flow[Token]:
    """Returns the order's token by every source but the service."""
    chain_id, address, chain = agreed.escrow.chain_id, agreed.escrow.terms.token, market.chain
    if market.token is not None:
        return market.token
    if market.tokens:
        for one in market.tokens:
            if checksum_address(one.address) == address:
                return one
        expected = " or ".join(one.address for one in market.tokens)
        raise UntrustedOrderError(agreed.order_id, "agreement.token.address", expected, address)
    if named is not None and named.decimals is not None:
        return Token(address, named.decimals)
    usdc = USDC.get(chain_id)
    if usdc is not None and (named is None or usdc[0] == address):
        return Token(usdc[0], 6, usdc[1], "2")
    if chain is None or (named is None and chain_id != LOCAL):
        raise TypeError(f"The payment token of chain {chain_id} is unknown. Pass Market a Token.")
    # A local chain has only test tokens, so any token is accepted there.
    try:
        return Token(address, (yield from chain.read_decimals(address)))
    except NodeError as error:
        if not error.reverted:
            raise
        found = f"{address}: {error.reason}"
        raise UntrustedOrderError(agreed.order_id, "agreement.token.address", "a token", found) from error


def _digest_or_none(value: Any) -> str | None:
    return None if value is None else digest_of(value)
