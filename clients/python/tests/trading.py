"""Buyers and providers of a real service, with wallets that have money."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from test_life import mint, rpc, rpc_url
from test_service import chain_id, offer_service, url

import earnest
from earnest import Earnest, LocalWallet, Market
from earnest.receipts import issuer_of

payload = {"text": "Guten Tag"}
amount = 2_500_000


class CountingWallet(LocalWallet):
    """A wallet that counts what it signed."""

    def __init__(self, key: Any) -> None:
        super().__init__(key)
        self.signed: list[str] = []

    def sign_typed_data(self, typed_data: Any) -> str:
        self.signed.append(typed_data["primaryType"])
        return super().sign_typed_data(typed_data)

    def sign_transaction(self, transaction: Any) -> str:
        self.signed.append("transaction")
        return super().sign_transaction(transaction)


@cache
def chain_status() -> Any:
    with Earnest(url) as anyone:
        return anyone.chain.get_status()


def market(node: str = rpc_url) -> Market:
    """The only fact to know of a local chain: a node."""
    return Market(rpc_url=node, issuer=issuer_of(url))


def balance(address: str) -> int:
    data = "0x70a08231" + address[2:].lower().rjust(64, "0")
    return int(rpc("eth_call", {"to": chain_status()["token_address"], "data": data}, "latest"), 16)


def rich_wallet() -> CountingWallet:
    """A wallet with tokens, and with coin for gas."""
    wallet = CountingWallet(LocalWallet.create().key)
    mint(wallet, chain_status()["token_address"], 10 * amount)
    rpc("anvil_setBalance", wallet.address, hex(10**18))
    return wallet


@dataclass
class Member:
    """An account with a wallet, and a key for orders and the feed."""

    client: Earnest
    wallet: CountingWallet
    token: str

    def spent(self) -> int:
        return 10 * amount - balance(self.wallet.address)

    def buy(self, service: Any, given: Any = payload, **more: Any) -> earnest.Purchase:
        options = {"max_amount": "3", "wallet": self.wallet, "market": market(), **more}
        return self.client.buy(service, given, **options)


def join(address: str = url) -> Member:
    wallet = rich_wallet()
    with Earnest(url) as session:
        session.sign_in(wallet, chain_id=chain_id)
        key = session.api_keys.create(
            name="tests",
            scopes=["orders:read", "orders:write", "webhooks:read", "agents:write"],
        )
    return Member(Earnest(address, api_key=key["token"]), wallet, key["token"])


def join_with_service(address: str = url) -> tuple[Member, Any]:
    wallet = rich_wallet()
    with Earnest(url) as session:
        session.sign_in(wallet, chain_id=chain_id)
        _, service = offer_service(session, wallet)
        scopes: Any = ["orders:read", "orders:write", "webhooks:read", "services:write"]
        key = session.api_keys.create(name="tests", scopes=scopes)
    return Member(Earnest(address, api_key=key["token"]), wallet, key["token"]), service


def deliver(provider: Any, payout: LocalWallet, order_id: str) -> None:
    if provider.orders.get(order_id)["status"] == "funded":
        provider.orders.start(order_id)
    provider.orders.deliver(order_id, output_payload={"characters": 9})
    to_sign = provider.orders.get_delivery_record_to_sign(order_id)["typed_data"]
    provider.orders.record_delivery(order_id, signature=payout.sign_typed_data(to_sign))
