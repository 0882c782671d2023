"""What a buyer or a provider knows without the service, and the error of a difference."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Sequence, Union

from typing_extensions import TypeAlias

from .._core.flow import Flow
from ..errors import UntrustedError
from .chain import Chain


class UntrustedOrderError(UntrustedError):
    """The order that the service shows differs from the request or from the order's agreement.

    Nothing was signed or sent.
    """

    code = "untrusted_order"
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


USDC = {
    1: ("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USD Coin"),
    10: ("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", "USD Coin"),
    137: ("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USD Coin"),
    8453: ("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin"),
    42_161: ("0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "USD Coin"),
    84_532: ("0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC"),
}
"""Circle's USDC by chain: the address, and the name of the EIP-712 domain."""


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
    tokens: Sequence[Token] = ()
    """The payment tokens that you trust on this chain, in place of `token`."""

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


def create_comparison(order_id: str | None) -> Callable[[str, object, object], None]:
    """Compares one field after the other."""

    def compare(field: str, expected: object, found: object) -> None:
        if type(expected) is not type(found) or expected != found:
            raise UntrustedOrderError(order_id, field, expected, found)

    return compare


Markets: TypeAlias = Union[Market, Sequence[Market]]
"""A market, or a market of each chain."""


def list_markets(markets: Markets) -> Sequence[Market]:
    """Returns the markets as a list.

    Raises:
        TypeError: the list is empty
    """
    listed = [markets] if isinstance(markets, Market) else markets
    if not listed:
        raise TypeError("The list of markets is empty.")
    return listed


def find_market(markets: Markets, chain_id: int) -> Flow[Market]:
    """Returns the market of a chain. Without one, it is the first market, whose chain the caller has to compare."""
    listed = list_markets(markets)
    if len(listed) > 1:
        for market in listed:
            chain = market.chain
            known = market.chain_id
            if known is None and chain is not None:
                known = yield from chain.read_chain_id()
            if known == chain_id:
                return market
    return listed[0]
