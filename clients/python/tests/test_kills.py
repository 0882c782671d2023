"""Real processes that are killed in the middle of buying and of serving, and started again: one payment, one delivery.

All cases run beside each other, so that the waiting of one is the work of another.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Iterator

import pytest
from programs import Program, buy, serve
from proxy import Proxy
from test_life import rpc_url, wait_until
from test_service import url
from trading import amount, join, join_with_service, market


@dataclass(frozen=True)
class Kill:
    rail: str
    shape: str
    """The call at which it is killed: held by the proxy before it reaches the service or node, or after its answer was made."""
    nth: int = 1
    at_node: bool = False


buyers = {
    "x402, before it has the order": Kill("x402", "after POST /api/v1/orders"),
    "x402, between placing and paying": Kill("x402", "before GET .*/payment-instructions"),
    "x402, before its signature is handed in": Kill("x402", "before POST .*/payment"),
    "x402, while its payment is answered": Kill("x402", "after POST .*/payment"),
    "escrow, between placing and paying": Kill("escrow", "before GET .*/payment-instructions"),
    "escrow, while approve is answered": Kill("escrow", "after .* eth_sendRawTransaction", at_node=True),
    "escrow, before createEscrow is sent": Kill("escrow", "before .* eth_sendRawTransaction", 2, True),
    "escrow, while createEscrow is answered": Kill("escrow", "after .* eth_sendRawTransaction", 2, True),
}

providers = {
    "before it delivers": ("sync", "before POST .*/deliver", ["called again", "stopped"]),
    "while its start is answered": ("async", "after POST .*/start", ["called again", "stopped"]),
    "while its delivery is answered": ("sync", "after POST .*/deliver", ["stopped"]),
    "while its record is answered": ("async", "after POST .*/delivery-record", ["stopped"]),
}


def kill_buyer(case: Kill) -> dict[str, Any]:
    buyer, (_, service) = join(), join_with_service()
    with Proxy(url) as server, Proxy(rpc_url) as node:
        (node if case.at_node else server).hold_next(case.shape, case.nth)
        given = {
            "base_url": server.url,
            "rpc_url": node.url,
            "token": buyer.token,
            "key": buyer.wallet.key,
            "agent": service["agent"]["slug"],
            "rail": case.rail,
        }
        first = Program(buy, **given)
        (node if case.at_node else server).wait_until_held(first.is_over)
        first.kill()
        order_id, status = Program(buy, **given).end()[0].split()
    with buyer.client as client:
        placed = [order["id"] for order in client.orders.list()]
    return {"status": status, "is_one": placed == [order_id], "spent": buyer.spent()}


def kill_provider(mode: str, shape: str) -> dict[str, Any]:
    buyer, (provider, service) = join(), join_with_service()
    purchase = buyer.buy(service)
    with Proxy(url) as server:
        given = {
            "base_url": server.url,
            "rpc_url": rpc_url,
            "token": provider.token,
            "key": provider.wallet.key,
            "agent": service["agent"]["slug"],
            "mode": mode,
        }
        server.hold_next(shape)
        first = Program(serve, **given)
        server.wait_until_held(first.is_over)
        first.kill()
        second = Program(serve, **given)
        assert second.next() == "serving"
        output = purchase.delivery().output
        wait_until(lambda: buyer.client.orders.get(purchase.order_id)["delivery_record"] == "matched")
        second.stop()
        printed = second.end()
    trail = [entry["type"] for entry in buyer.client.orders.list_trail(purchase.order_id)]
    done = [type for type in trail if type in ("order.started", "order.delivered")]
    buyer.client.close()
    provider.client.close()
    return {"output": output, "printed": printed, "done": done}


Outcomes = dict[str, "Future[dict[str, Any]]"]


@pytest.fixture(scope="module")
def outcomes() -> Iterator[Outcomes]:
    assert market().chain is not None
    with ThreadPoolExecutor(4) as pool:
        yield {
            **{name: pool.submit(kill_buyer, case) for name, case in buyers.items()},
            **{name: pool.submit(kill_provider, mode, shape) for name, (mode, shape, _) in providers.items()},
        }


@pytest.mark.parametrize("name", buyers)
def test_a_buyer_that_is_killed_has_placed_and_paid_once(name: str, outcomes: Outcomes) -> None:
    assert outcomes[name].result() == {"status": "funded", "is_one": True, "spent": amount}


@pytest.mark.parametrize("name", providers)
def test_a_provider_that_is_killed_has_delivered_once(name: str, outcomes: Outcomes) -> None:
    assert outcomes[name].result() == {
        "output": {"characters": 9},
        "printed": providers[name][2],
        "done": ["order.started", "order.delivered"],
    }
