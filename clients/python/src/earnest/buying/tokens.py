"""The payment tokens that a buyer holds, and a service's price in an order's token."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Mapping, Sequence, Union

from typing_extensions import TypeAlias

from .._core.exact import parse_amount
from .._generated import types
from ..settlement import DerivedDeposit, checksum_address
from .market import USDC, Token, UntrustedOrderError


@dataclass(frozen=True)
class HeldToken:
    """A token that the buyer holds and trusts, on its chain."""

    chain_id: int
    token: str
    """The address of the token."""
    decimals: int | None = None
    """Default: the answer of your node."""
    max_amount: str | Decimal | None = None
    """The most to pay in this token. Default: the purchase's `max_amount`, if you hold one token only."""


PayWith: TypeAlias = Union[HeldToken, Sequence[HeldToken], None]
"""The tokens that the buyer holds, the preferred one first."""


def read_held(pay_with: PayWith, max_amount: Any | None) -> Sequence[HeldToken] | None:
    """Returns the held tokens; None without `pay_with`.

    Raises:
        TypeError: there is no maximum, the list is empty, or one maximum would limit several tokens
    """
    held = [pay_with] if isinstance(pay_with, HeldToken) else pay_with
    if held is not None:
        if not held:
            raise TypeError("pay_with is empty: name a token that you hold.")
        if len(held) > 1 and any(one.max_amount is None for one in held):
            raise TypeError("Give each token of pay_with a max_amount of its own.")
    if max_amount is None and (held is None or held[0].max_amount is None):
        raise TypeError("Pass max_amount, the most that you pay.")
    return held


def names_of(held: Sequence[HeldToken]) -> list[types.TokenName]:
    """Writes the names of tokens as a request has them."""
    return [{"chain_id": one.chain_id, "token": checksum_address(one.token)} for one in held]


def choose_token(service: types.Service, held: Sequence[HeldToken]) -> types.TokenName:
    """Chooses the first held token that the service accepts. The choice does not depend on balances, so that a repeated
    purchase chooses the same token.

    Raises:
        UntrustedOrderError: the service accepts none of them
    """
    names = names_of(held)
    for name in names:
        if any(_is_named(accepted, name) for accepted in service["accepts"]):
            return name
    expected = " or ".join(map(_text_of, names))
    accepts = ", ".join(map(_text_of, service["accepts"])) or "nothing"
    raise UntrustedOrderError(None, "service.accepts", expected, accepts)


def find_accepted(order_id: str, escrow: DerivedDeposit, service: types.Service) -> types.AcceptedToken:
    """Finds an order's token among those that its service accepts.

    Raises:
        UntrustedOrderError: the service does not accept the token
    """
    name: types.TokenName = {"chain_id": escrow.chain_id, "token": escrow.terms.token}
    accepted = next((one for one in service["accepts"] if _is_named(one, name)), None)
    if accepted is None:
        expected = " or ".join(map(_text_of, service["accepts"]))
        raise UntrustedOrderError(order_id, "agreement.token", expected, _text_of(name))
    return accepted


def price_in(
    order_id: str,
    escrow: DerivedDeposit,
    service: types.Service,
    token: Token,
    quoted: str | None = None,
) -> int:
    """Converts a service's price exactly into base units of an order's token.

    Args:
        token: the token, by the caller's knowledge
        quoted: the price of a quote, in place of the service's

    Raises:
        UntrustedOrderError: the service does not accept the token, shows other decimals or another price of it, or the
            price has more decimals than the token
    """
    accepted = find_accepted(order_id, escrow, service)
    is_usdc = USDC.get(escrow.chain_id, ("", ""))[0] == escrow.terms.token
    if is_usdc and service["price_currency"] not in ("USD", "USDC"):
        raise UntrustedOrderError(order_id, "service.price_currency", "USD", service["price_currency"])
    if accepted["decimals"] != token.decimals:
        raise UntrustedOrderError(order_id, "service.accepts.decimals", token.decimals, accepted["decimals"])

    def read(field: str, price: str | None) -> int:
        units = parse_amount(price or "0", token.decimals)
        if units is None:
            limit = f"a price with at most {token.decimals} decimals"
            raise UntrustedOrderError(order_id, field, limit, price)
        return units

    if quoted is not None:
        return read("quote.price", quoted)
    price = read("service.price", service["price"])
    if read("service.accepts.price", accepted["price"]) != price:
        raise UntrustedOrderError(order_id, "service.accepts.price", service["price"], accepted["price"])
    return price


def _is_named(one: Mapping[str, Any], name: types.TokenName) -> bool:
    same_token = str(one["token"]).lower() == name["token"].lower()
    return bool(one["chain_id"] == name["chain_id"]) and same_token


def _text_of(name: Mapping[str, Any]) -> str:
    return f"{name['token']} on chain {name['chain_id']}"
