"""A scene of the stage: a scenario's steps, by the client's public methods. clients/scenarios/scenario.ts has the words."""

from __future__ import annotations

import itertools
import json
import os
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, TypeVar

import earnest
from earnest import Earnest, HeldToken, LocalWallet, Market, PaymentToken
from earnest.webhooks import WebhookSignatureError, read_webhook

T = TypeVar("T")

_SCOPES: Any = [
    "agents:read",
    "agents:write",
    "services:write",
    "orders:read",
    "orders:write",
    "webhooks:read",
    "webhooks:write",
    "subscriptions:read",
]
_INPUT_SCHEMA: Any = {
    "type": "object",
    "properties": {"number": {"type": "integer"}},
    "required": ["number"],
    "additionalProperties": False,
}


def ask_stage(url: str, question: Any = None) -> Any:
    """Sends a request to the stage, which has no faults."""
    body = None if question is None else json.dumps(question).encode()
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{url}: {error.code} {error.read().decode()}") from error


class Scene:
    """One run of a scenario."""

    def __init__(self, stage_url: str, scenario: Any) -> None:
        self.opened = ask_stage(f"{stage_url}/scenes", {"scenario": scenario["name"], "language": "python"})
        self._timeout = scenario.get("timeout_ms", 30_000) / 1000
        self._wallets = {"buyer": LocalWallet.create(), "provider": LocalWallet.create()}
        self._clients: dict[str, Earnest] = {}
        self._tokens: dict[str, str] = {}
        self._service: Any = None
        self._purchase: Any = None
        self._secret = ""
        ask_stage(f"{self.opened['url']}/money", {"address": self._wallets["buyer"].address})

    def close(self) -> Any:
        """Returns the faults of the final audit."""
        parties = {
            name: {"address": self._wallets[name].address, "token": token}
            for name, token in self._tokens.items()
        }
        for client in self._clients.values():
            client.close()
        return ask_stage(f"{self.opened['url']}/end", parties)

    def act(self, step: Any) -> None:
        act = getattr(self, f"_{step['do']}")
        act(**{name: value for name, value in step.items() if name not in ("do", "fails")})

    def _connect(self, api_key: str | None = None) -> Earnest:
        return Earnest(self.opened["base_url"], api_key=api_key, timeout=self._timeout)

    def _sign_in(self, **step: Any) -> None:
        name = step["as"]
        with self._connect() as person:
            person.sign_in(self._wallets[name], chain_id=self.opened["chain_id"], host=self.opened["host"])
            token = person.api_keys.create(name="scenario", scopes=_SCOPES)["token"]
        self._tokens[name] = token
        self._clients[name] = self._connect(token)

    def _publish(self) -> None:
        client, wallet = self._clients["provider"], self._wallets["provider"]
        slug = f"agent-{wallet.address[2:14].lower()}"
        client.agents.create(slug=slug, name="A scenario's agent")
        client.agents.set_payout_wallet(slug, {"address": wallet.address})
        client.agents.publish(slug)
        tokens = self.opened["tokens"]
        terms: Any = {}
        if tokens is not None:
            accepts = [{"chain_id": one["chain_id"], "token": one["token"]} for one in tokens]
            terms = {"accepts": accepts, "price_currency": "USD"}
        client.services.create(
            slug,
            **terms,
            slug="double",
            title="Twice a number",
            pricing_model="fixed",
            price="2.50",
            delivery_time_hours=24,
            input_schema=_INPUT_SCHEMA,
        )
        self._service = client.services.publish(slug, "double")

    def _place(self, number: Any) -> None:
        self._clients["buyer"].orders.place(service_id=self._service["id"], input_payload={"number": number})

    def _market(self) -> Market:
        # The buyer's prior knowledge comes from the service itself, without the proxy.
        with Earnest(f"http://{self.opened['host']}") as anyone:
            status = anyone.chain.get_status()
        contract, token = status["escrow_contract"], status["token_address"]
        assert contract
        assert token
        return Market(
            self.opened["chain_id"],
            contract,
            PaymentToken(token, 6),
            rpc_url=self.opened["rpc_url"],
            issuer=self.opened["issuer"],
        )

    def _holding(self, symbols: list[str], at_most: str) -> Any:
        """The tokens with these symbols, each with its maximum, and a market of each chain."""
        held = [next(one for one in self.opened["tokens"] if one["symbol"] == name) for name in symbols]
        nodes = sorted({one["rpc_url"] for one in held})
        return {
            "pay_with": [HeldToken(one["chain_id"], one["token"], max_amount=at_most) for one in held],
            "market": [Market(rpc_url=url, issuer=self.opened["issuer"]) for url in nodes],
        }

    def _bought(
        self,
        number: int,
        at_most: str,
        pay_with: list[str] | None = None,
        without_account: bool = False,
    ) -> Any:
        if pay_with is None:
            means: Any = {"max_amount": at_most, "market": self._market()}
        else:
            means = self._holding(pay_with, at_most)
        wallet = self._wallets["buyer"]
        if without_account:
            nobody = self._clients.setdefault("nobody", self._connect())
            host = self.opened["host"]
            return nobody.buy_without_account(
                self._service, {"number": number}, wallet=wallet, host=host, **means
            )
        return self._clients["buyer"].buy(self._service, {"number": number}, wallet=wallet, **means)

    def _buy(self, number: int, at_most: str = "2.50", **step: Any) -> None:
        self._purchase = self._bought(number, at_most, **step)

    def _deliver(self, order_id: str | None = None) -> None:
        """Delivers like a provider without `serve`. After an outage, it does the missing steps."""
        client, wallet = self._clients["provider"], self._wallets["provider"]
        order_id = order_id or self._purchase.order_id
        assert order_id
        order = client.orders.get(order_id)
        if order["status"] == "funded":
            order = client.orders.start(order_id)
        if order["status"] == "started":
            payload: Any = order["input_payload"]
            order = client.orders.deliver(order_id, output_payload={"twice": 2 * payload["number"]})
        if order["delivery_record"] == "none":
            to_sign = client.orders.get_delivery_record_to_sign(order_id)["typed_data"]
            client.orders.record_delivery(order_id, signature=wallet.sign_typed_data(to_sign))
        while client.orders.get(order_id)["delivery_record"] != "matched":
            time.sleep(0.2)

    def _accept(self, purchase: Any = None) -> None:
        purchase = purchase or self._purchase
        delivery = purchase.delivery()
        assert delivery.output == {"twice": 2 * delivery.order["input_payload"]["number"]}
        receipt = purchase.accept()
        document = receipt.verified.document
        assert (document["order_id"], document["claim"]) == (purchase.order_id, "released")
        assert receipt.chain.agrees

    def _request_changes(self, reason: str) -> None:
        assert self._purchase.request_changes(reason)["status"] == "started"

    def _dispute(self, reason: str) -> None:
        assert self._purchase.dispute(reason)["status"] == "disputed"

    def _refund(self) -> None:
        client, wallet = self._clients["provider"], self._wallets["provider"]
        order_id = self._purchase.order_id
        to_sign: Any = client.orders.get_refund_to_sign(order_id)["typed_data"]
        client.orders.refund(
            order_id,
            signature=wallet.sign_typed_data(to_sign),
            deadline=to_sign["message"]["deadline"],
        )
        while client.orders.get(order_id)["status"] != "refunded":
            time.sleep(0.2)

    def _trade(self, numbers: list[int]) -> None:
        """Completes orders at once. Each step is repeated, like a restarted program, if an outage outlasts the tries."""

        def trade(number: int) -> None:
            purchase = insist(lambda: self._bought(number, "2.50"))
            insist(lambda: self._deliver(purchase.order_id))
            insist(lambda: self._accept(purchase))

        with ThreadPoolExecutor(len(numbers)) as threads:
            list(threads.map(trade, numbers))

    def _list(self, page_size: int, orders: int) -> None:
        ids = [order["id"] for order in self._clients["buyer"].orders.list(limit=page_size)]
        assert len(ids) == len(set(ids)) == orders

    def _follow(self, types: Any, **step: Any) -> None:
        stream = self._clients[step["as"]].events.follow(types=types, poll=0.2)
        events = list(itertools.islice(stream, len(types)))
        assert len({event["id"] for event in events}) == len(types)
        assert [event["type"] for event in events] == types

    def _listen(self, type: str) -> None:
        events: Any = [type]
        made = self._clients["buyer"].webhooks.create(url=self.opened["hook_url"], events=events)
        self._secret = made["secret"]

    def _verify_webhook(self, type: str) -> None:
        deliveries: Any = []
        while not deliveries:
            time.sleep(0.2)
            deliveries = ask_stage(self.opened["hook_url"])
        headers, body = deliveries[0]["headers"], deliveries[0]["body"]
        standard = {name: value for name, value in headers.items() if name != "x-service-signature"}
        for given in (headers, standard):
            assert read_webhook(body, given, ["whsec_AAAA", self._secret])["type"] == type
            try:
                read_webhook(body.replace(type, type.upper()), given, self._secret)
            except WebhookSignatureError:
                continue
            raise AssertionError("A delivery that was changed is taken.")


def insist(act: Callable[[], T]) -> T:
    """Repeats an act while an outage makes it fail."""
    for _ in range(20):
        try:
            return act()
        except earnest.ConnectionError:
            continue
        except earnest.ApiError as error:
            if error.status != 429 and error.status < 500:
                raise
    return act()


def describe_failure(error: Exception, expected: Any) -> Any:
    """Writes an error in the form of the scenarios, with the expected fields."""
    if isinstance(error, earnest.ConnectionError):
        return {"code": "connection"}
    if isinstance(error, earnest.UntrustedOrderError):
        return {"code": "untrusted"}
    if isinstance(error, earnest.PaymentFailedError):
        return {"code": "not_paid"}
    if not isinstance(error, earnest.ApiError):
        raise error
    found = {
        "code": error.code,
        "status": error.status,
        "retry_after": error.retry_after,
        "details": [{"path": one["path"], "keyword": one["keyword"]} for one in error.details],
    }
    return {name: value for name, value in found.items() if name in expected}


def play(stage_url: str, scenario: Any, before: Any) -> None:
    """Runs a scenario, and returns its faults."""
    scene = Scene(stage_url, scenario)
    steps = scenario["steps"] if scenario.get("alone") else [*before, *scenario["steps"]]
    for step in steps:
        fails = step.get("fails")
        try:
            scene.act(step)
            failure = None
        except Exception as error:
            if fails is None:
                raise AssertionError(f"{step}, with the seed {scene.opened['seed']}: {error!r}") from error
            failure = describe_failure(error, fails)
        assert failure == fails, (step, scene.opened["seed"])
    ended = scene.close()
    assert ended["wrong"] == [], (scene.opened["seed"], ended)


def stage_url() -> str:
    """The stage's address, which the runner gives."""
    url = os.environ.get("EARNEST_STAGE_URL", "")
    assert url, "EARNEST_STAGE_URL is not set: `npm run test:clients -- python` starts a stage."
    return url
