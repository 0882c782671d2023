"""Whether the chain has the money of an order."""

from __future__ import annotations

from typing import Callable

from .._core.flow import Flow
from .._core.retry import is_temporary
from ..buying.agreed import AgreedOrder, compare_known
from ..buying.market import Markets, UntrustedOrderError, create_comparison, find_market
from ..errors import NodeError
from ..wallet import AnyWallet
from .waits import pause

_AGAIN = (1.0, 2.0, 4.0)
"""Seconds between two reads of the node whether an order is funded."""


def check_funded(
    agreed: AgreedOrder, wallet: AnyWallet | None, markets: Markets | None, stopping: Callable[[], bool]
) -> Flow[None]:
    """Requires that the chain has the money for this provider. Without a node, the service is trusted."""
    if wallet is not None:
        create_comparison(agreed.order_id)("agreement.provider", wallet.address, agreed.escrow.terms.provider)
    if markets is None:
        return
    # A node may be unavailable for a moment, or behind the service's.
    for wait in _AGAIN:
        if stopping():
            break
        try:
            if (yield from _has_money(agreed, markets)):
                return
        except NodeError as error:
            if not is_temporary(error):
                raise
        yield from pause(wait, stopping)
    if not (yield from _has_money(agreed, markets)):
        raise UntrustedOrderError(agreed.order_id, "order.escrow.status", "an escrow on the chain", "none")


def _has_money(agreed: AgreedOrder, markets: Markets) -> Flow[bool]:
    market = yield from find_market(markets, agreed.escrow.chain_id)
    yield from compare_known(agreed, market)
    return market.chain is None or (yield from market.chain.has_escrow(agreed.escrow))
