"""The terms of a purchase without an account: requested, recomputed, compared and chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from .._core.call import Call
from .._core.flow import Flow
from .._core.transport import Core
from .._generated import types
from ..errors import ApiError, NodeError
from ..settlement import derive_deposit
from .agreed import LOCAL, AgreedOrder
from .chain import Chain
from .market import USDC, Markets, Token, UntrustedOrderError, create_comparison, find_market


@dataclass(frozen=True)
class Offered:
    """An entry of x402's `accepts` with the agreement that its address belongs to."""

    agreed: AgreedOrder
    accepted: Mapping[str, Any]
    at: int
    """The place in `accepts`."""

    @property
    def is_permit(self) -> bool:
        return "assetTransferMethod" in self.accepted["extra"]

    @property
    def way(self) -> tuple[int, str, bool]:
        """The chain, the token and the method. One nonce excludes a second payment of the same way."""
        escrow = self.agreed.escrow
        return (escrow.chain_id, escrow.terms.token, self.is_permit)

    def read_domain(self, token: Token) -> tuple[str, str]:
        """Compares the entry with the agreement, and returns the name and version of the token's EIP-712 domain.

        Raises:
            UntrustedOrderError: with the first field that differs
        """
        return read_payable(self.agreed, self.accepted, token, f"accepts[{self.at}]")


def read_payable(
    agreed: AgreedOrder, accepted: Mapping[str, Any], token: Token | None, field: str
) -> tuple[str, str]:
    """Compares an entry of x402's `accepts` with the agreement, and returns the name and version of the token's domain.

    Args:
        token: the token by the caller's knowledge
        field: the place of the entry, for the error

    Raises:
        UntrustedOrderError: with the first field that differs
    """
    escrow, terms, shown = agreed.escrow, agreed.escrow.terms, accepted["extra"]

    def compare(name: str, expected: object, found: object) -> None:
        create_comparison(agreed.order_id)(f"{field}.{name}", expected, found)

    compare("scheme", "exact", accepted.get("scheme"))
    compare("network", f"eip155:{escrow.chain_id}", accepted.get("network"))
    compare("amount", str(terms.amount), accepted.get("amount"))
    compare("asset", terms.token, accepted.get("asset"))
    compare("payTo", escrow.deposit_address, accepted.get("payTo"))
    name = shown["name"] if token is None or token.name is None else token.name
    version = shown["version"] if token is None or token.version is None else token.version
    compare("extra.name", name, shown["name"])
    compare("extra.version", version, shown["version"])
    return name, version


def purchase_call(service: types.Service, body: Mapping[str, Any], payment: str | None = None) -> Call[Any]:
    """Builds the request of a purchase, with or without its payment. The service does the same payment once."""
    headers = {} if payment is None else {"payment-signature": payment}
    path = f"/buy/{service['agent']['slug']}/{service['slug']}"
    return Call(operation=None, verb="POST", path=path, body=dict(body), headers=headers, open=True)


def request_terms(core: Core, service: types.Service, body: Mapping[str, Any]) -> Flow[Sequence[Offered]]:
    """Requests the terms of a purchase, and recomputes where each of them pays. Nothing is stored for the request.

    Raises:
        UntrustedOrderError: an entry is not of its agreement
        ApiError: the service refused the request
    """
    shown: Any = None
    try:
        yield from core.send(purchase_call(service, body), None)
    except ApiError as error:
        # A refusal of terms has details. Only an answer without them offers terms.
        if error.status != 402 or error.details:
            raise
        shown = error.body
    accepts: Any = shown.get("accepts") if isinstance(shown, dict) else None
    if not isinstance(accepts, list) or not accepts or not all(_is_requirement(one) for one in accepts):
        raise UntrustedOrderError(None, "accepts", "payment requirements", accepts)
    others = shown.get("other_agreements", [])
    if not isinstance(others, list):
        raise UntrustedOrderError(None, "other_agreements", "agreements", others)
    agreements = [_read(one) for one in [shown.get("agreement"), *others]]
    offered: list[Offered] = []
    for at, accepted in enumerate(accepts):
        # A metered order is funded in full, and its voucher pays the charge. So `upto` adds nothing.
        if accepted.get("scheme") == "upto":
            continue
        found = accepted.get("payTo")
        agreed = next((one for one in agreements if one.escrow.deposit_address == found), None)
        if agreed is None:
            expected = " or ".join(one.escrow.deposit_address for one in agreements)
            raise UntrustedOrderError(None, f"accepts[{at}].payTo", expected, found)
        read_payable(agreed, accepted, None, f"accepts[{at}]")
        offered.append(Offered(agreed, accepted, at))
    if not offered:
        raise UntrustedOrderError(None, "accepts", "the scheme exact", accepts)
    return offered


def _is_requirement(one: Any) -> bool:
    """Whether a value has the members that are read before it is compared."""
    extra = one.get("extra") if isinstance(one, dict) else None
    return isinstance(extra, dict) and "name" in extra and "version" in extra


def _read(agreement: Any) -> AgreedOrder:
    order_id = agreement.get("order_id") if isinstance(agreement, dict) else None
    if not isinstance(order_id, str):
        raise UntrustedOrderError(None, "agreement.order_id", "an order", order_id)
    try:
        return AgreedOrder(order_id, agreement, derive_deposit(agreement))
    except (ValueError, TypeError) as error:
        raise UntrustedOrderError(order_id, "agreement", "an agreement", str(error)) from error


def choose_terms(
    offered: Sequence[Offered], payer: str, markets: Markets, nonce: str, earlier: Offered | None
) -> Flow[Offered]:
    """Chooses the terms to pay: the first known token of which the wallet holds the amount. Each token is paid by its
    first method.

    Args:
        nonce: the nonce of the purchase: a token in which it was used is chosen
        earlier: the terms that were signed for this purchase, whose token and method stay

    Raises:
        UntrustedOrderError: the way of the earlier terms is not offered any more
    """
    if earlier is not None:
        same = next((one for one in offered if one.way == earlier.way), None)
        if same is None:
            expected = f"{earlier.accepted['asset']} on {earlier.accepted['network']}"
            raise UntrustedOrderError(earlier.agreed.order_id, "accepts", expected, "other tokens")
        return same
    ways: dict[str, Offered] = {}
    for one in offered:
        ways.setdefault(one.agreed.escrow.deposit_address, one)
    known = [one for one in ways.values() if _is_known(one.agreed)]
    first = known[0] if known else offered[0]
    if len(known) < 2:
        return first
    held: list[Offered] = []
    for one in known:
        escrow = one.agreed.escrow
        chain = (yield from find_market(markets, escrow.chain_id)).chain
        if chain is None or (yield from chain.read_chain_id()) != escrow.chain_id:
            continue
        if (yield from is_used(one, payer, nonce, chain)):
            return one
        if (yield from chain.read_balance(escrow.terms.token, payer)) >= escrow.terms.amount:
            held.append(one)
    return held[0] if held else first


def _is_known(agreed: AgreedOrder) -> bool:
    """Whether the client itself knows the token: it is its chain's USDC, or on the local chain, which has only test tokens."""
    chain_id = agreed.escrow.chain_id
    return chain_id == LOCAL or USDC.get(chain_id, ("", ""))[0] == agreed.escrow.terms.token


def is_used(terms: Offered, payer: str, nonce: str, chain: Chain | None) -> Flow[bool]:
    """Whether the wallet has used a nonce by the method of the terms. It is false without a node."""
    if chain is None:
        return False
    if terms.is_permit:
        return (yield from chain.has_permitted(payer, int(nonce, 16)))
    return (yield from chain.has_authorized(terms.agreed.escrow, payer, nonce))


def is_superseded(terms: Offered, payer: str, nonce: str, chain: Chain) -> Flow[bool]:
    """Whether signed terms can never be paid, because the nonce of their signature has paid other terms."""
    escrow = terms.agreed.escrow
    try:
        if not (yield from is_used(terms, payer, nonce, chain)):
            return False
        # The balance is read first: money that moves into the escrow between the two reads must not count as missing.
        if (yield from chain.read_balance(escrow.terms.token, escrow.deposit_address)) > 0:
            return False
        return not (yield from chain.has_escrow(escrow))
    except NodeError as error:
        if not error.reverted:
            raise
        return False
