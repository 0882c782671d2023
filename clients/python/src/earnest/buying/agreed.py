"""The checks of an order before its buyer signs anything."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

from .._core.exact import from_base_units, to_base_units
from .._core.flow import Flow
from .._core.times import read_time
from .._generated import types
from ..errors import NodeError, UntrustedError
from ..settlement import DerivedDeposit, checksum_address, derive_deposit, digest_of
from .chain import Chain

ZERO = "0x" + "0" * 40
_LONGEST_DISPUTE = 90 * 86_400
"""The most seconds that a dispute and its appeal may hold the money: 90 days."""
_LOCAL = 31_337
"""The chain of a local node."""


class UntrustedOrderError(UntrustedError):
    """The order that the service shows differs from the request or from the order's agreement.

    Nothing was signed or sent.
    """

    order_id: str | None
    field: str
    """The field that differs, such as `agreement.provider`."""

    def __init__(self, order_id: str | None, field: str, expected: object, found: object) -> None:
        super().__init__(
            f"{order_id or 'The service'}: {field} is {found!r}, expected {expected!r}. Nothing was signed."
        )
        self.order_id = order_id
        self.field = field
        self.expected = expected
        self.found = found


@dataclass(frozen=True)
class Token:
    """A known token. `name` and `version` are those of its EIP-712 domain. Default: the service's; a signature with
    wrong values is invalid."""

    address: str
    decimals: int
    name: str | None = None
    version: str | None = None


_USDC = {
    1: ("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USD Coin"),
    10: ("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", "USD Coin"),
    137: ("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USD Coin"),
    8453: ("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin"),
    42_161: ("0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "USD Coin"),
    84_532: ("0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC"),
}


@dataclass(frozen=True)
class Market:
    """The facts that you know without the service: a node of the chain, or the chain and its escrow contract.

    Anyone can deploy a contract with the escrow's interface. With a node, the contract's code is compared with the escrow's.
    Without one, get the address from a source that you trust.

    Raises:
        TypeError: neither `rpc_url` nor both `chain_id` and `escrow_contract` are given
    """

    chain_id: int | None = None
    """The settlement chain. Default: the node's chain."""
    escrow_contract: str | None = None
    token: Token | None = None
    """The payment token. Default: Circle's USDC of the chain. On a local chain, the node returns the token's decimals."""
    rpc_url: str | None = field(default=None, repr=False)
    """A node of the chain. It shows whether an order is already paid, and confirms receipts."""
    issuer: str | None = None
    """The trusted issuer of receipts, such as `did:web:market.example`. Default: the service at `base_url`."""
    provider: str | None = None
    """The provider's wallet, if you know it."""

    def __post_init__(self) -> None:
        if self.rpc_url is None and (self.chain_id is None or self.escrow_contract is None):
            raise TypeError(
                "A wallet alone cannot verify the escrow contract. Pass Market an rpc_url, "
                "or chain_id and escrow_contract."
            )

    @property
    def chain(self) -> Chain | None:
        """The node of the chain; None without one."""
        return None if self.rpc_url is None else Chain(self.rpc_url)


@dataclass(frozen=True)
class AgreedOrder:
    """An order with its agreement, and the recomputed addresses that its money goes to."""

    order_id: str
    agreement: Mapping[str, Any]
    escrow: DerivedDeposit


def comparing(order_id: str | None) -> Callable[[str, object, object], None]:
    """Compares one field after the other."""

    def compare(field: str, expected: object, found: object) -> None:
        if type(expected) is not type(found) or expected != found:
            raise UntrustedOrderError(order_id, field, expected, found)

    return compare


def read_agreed(order_id: str, order: types.Order, agreement: Mapping[str, Any]) -> AgreedOrder:
    """Recomputes an order from its agreement, and compares the order that the service shows with it."""
    compare = comparing(order_id)
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
) -> None:
    """Compares the agreement with the requested order: service, schemas, input, price, provider, arbiter, windows."""
    compare = comparing(agreed.order_id)
    unit_price = int(service["price_base_units"] or 0)
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
        "acceptance_window_seconds": service["acceptance_hours"] * 3600,
    }
    for name, value in expected.items():
        compare(f"agreement.{name}", value, agreed.agreement.get(name))
    found = agreed.escrow.terms.arbiter
    if arbiter is not None:
        compare("agreement.arbiter", checksum_address(arbiter), found)
    elif found == ZERO or found not in service["arbiters"]:
        # An order without an arbiter needs the caller's explicit choice.
        accepted = " or ".join(one for one in service["arbiters"] if one != ZERO)
        raise UntrustedOrderError(agreed.order_id, "agreement.arbiter", accepted, found)


def compare_known(
    agreed: AgreedOrder, market: Market, *, buyer: str | None = None, max_amount: Any | None = None
) -> Flow[Token]:
    """Compares the agreement with the caller's facts and limits, and with the chain: buyer, maximum amount, token and
    contract.

    Returns:
        The payment token
    """
    compare, escrow, chain = comparing(agreed.order_id), agreed.escrow, market.chain
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
    token = market.token or (yield from _find_token(agreed, chain))
    compare("agreement.token.address", checksum_address(token.address), terms.token)
    compare("agreement.token.decimals", token.decimals, agreed.agreement["token"].get("decimals"))
    if max_amount is not None and terms.amount > to_base_units(max_amount, token.decimals):
        amount = from_base_units(terms.amount, token.decimals)
        raise UntrustedOrderError(
            agreed.order_id, "agreement.amount_base_units", f"at most {max_amount}", amount
        )
    if terms.dispute_window + terms.appeal_window > _LONGEST_DISPUTE:
        found = terms.dispute_window + terms.appeal_window
        raise UntrustedOrderError(
            agreed.order_id, "agreement.dispute_window_seconds", f"at most {_LONGEST_DISPUTE}", found
        )
    return token


def _find_token(agreed: AgreedOrder, chain: Chain | None) -> Flow[Token]:
    chain_id, address = agreed.escrow.chain_id, agreed.escrow.terms.token
    if chain_id in _USDC:
        usdc, name = _USDC[chain_id]
        return Token(usdc, 6, name, "2")
    if chain_id != _LOCAL or chain is None:
        raise TypeError(f"The payment token of chain {chain_id} is unknown. Pass Market a Token.")
    # A local chain has only test tokens, so any token is accepted.
    try:
        return Token(address, (yield from chain.read_decimals(address)))
    except NodeError as error:
        if not error.reverted:
            raise
        found = f"{address}: {error.reason}"
        raise UntrustedOrderError(agreed.order_id, "agreement.token.address", "a token", found) from error


def _digest_or_none(value: Any) -> str | None:
    return None if value is None else digest_of(value)
