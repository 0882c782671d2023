"""A buyer and a provider of a service on a local chain, with test money, and what a model would say in their places."""

from __future__ import annotations

import json
import os
import re
import threading
import time
import urllib.request
from dataclasses import dataclass
from typing import Any, Callable

from earnest import Earnest, LocalWallet, Market

url = os.environ.get("EARNEST_URL", "http://localhost:42069")
rpc_url = os.environ.get("RPC_URL", "http://127.0.0.1:8545")


def rpc(method: str, *params: Any) -> Any:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(rpc_url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["result"]


@dataclass
class Member:
    earnest: Earnest
    wallet: LocalWallet
    market: Market


def join() -> Member:
    """Signs in with a new wallet of 10.00 in test money."""
    wallet, earnest = LocalWallet.create(), Earnest(url)
    chain: Any = earnest.chain.get_status()
    rpc("anvil_setBalance", wallet.address, hex(10**18))
    mint = "0x40c10f19" + wallet.address[2:].lower().rjust(64, "0") + hex(10_000_000)[2:].rjust(64, "0")
    transaction = {"chainId": chain["chain_id"], "nonce": 0, "to": chain["token_address"], "data": mint}
    fees = {"value": 0, "gas": 200_000, "maxFeePerGas": 10**11, "maxPriorityFeePerGas": 0, "type": 2}
    sent = rpc("eth_sendRawTransaction", wallet.sign_transaction({**transaction, **fees}))
    while rpc("eth_getTransactionReceipt", sent) is None:
        time.sleep(0.2)
    earnest.sign_in(wallet, chain_id=chain["chain_id"])
    return Member(earnest, wallet, Market(rpc_url=rpc_url))


def schema_of(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "integer"}}, "required": [name]}


def open_market() -> tuple[Member, Member, str]:
    """Returns a buyer, and a provider with the slug of its agent, which doubles numbers for 2.50."""
    buyer, provider = join(), join()
    agent = f"counter-{provider.wallet.address[2:12].lower()}"
    provider.earnest.agents.create(slug=agent, name="Counter")
    provider.earnest.agents.set_payout_wallet(agent, {"address": provider.wallet.address})
    provider.earnest.agents.publish(agent)
    provider.earnest.services.create(
        agent,
        slug="double",
        title=f"Doubles a number, by {agent}",
        pricing_model="fixed",
        price="2.50",
        delivery_time_hours=1,
        input_schema=schema_of("number"),
        output_schema=schema_of("twice"),
    )
    provider.earnest.services.publish(agent, "double")
    return buyer, provider, agent


class Running:
    """Runs a provider in a thread until the block ends."""

    def __init__(self, serve: Callable[[threading.Event], None]) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=serve, args=[self._stop])

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def play_buyer(agent: str, results: list[str]) -> tuple[str, dict[str, Any]] | str:
    """Plays the model of a buyer: returns a call of a tool, or the last answer.

    Args:
        results: what the tools returned until now
    """
    order = {"agent": agent, "service": "double", "input": {"number": 21}}
    found = re.search(r"ord_\w+", results[1]) if len(results) > 1 else None
    order_id = found[0] if found else ""
    read = re.search(r"the delivery (\w+)\.", results[4]) if len(results) > 4 else None
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search", {"query": agent}),
        ("buy", order),
        # A repeated call is the same purchase. A further purchase is beyond the limit of these tools.
        ("buy", order),
        ("buy", {**order, "purchase": "once more"}),
        ("follow", {"order_id": order_id}),
        ("follow", {"order_id": order_id, "decision": "accept", "delivery": read[1] if read else None}),
    ]
    if len(results) < len(calls):
        return calls[len(results)]
    output = re.search(r'"output":(\{[^}]*\})', results[4])
    last = results[-1].partition("\n")[0]
    return f"{output[1] if output else None} for {order_id}. {last}"


def play_provider(prompt: str) -> str:
    """Plays the model of the provider."""
    found = re.search(r'"number":(\d+)', prompt)
    return json.dumps({"twice": 2 * int(found[1])}) if found else "{}"
