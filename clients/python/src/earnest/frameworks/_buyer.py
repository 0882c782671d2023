"""The tools of a buyer, which all frameworks share."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Callable, Literal, Mapping

from pydantic import BaseModel, ConfigDict, Field

from .._core.call import OMITTED
from .._core.exact import from_base_units
from .._generated import types
from ..buying import AgreedOrder, PayWith, Purchase
from ..buying.market import Markets
from ..client import Earnest
from ..settlement import digest_of
from ..wallet import Wallet
from ._texts import RefusedCall, explain, write_text

_POLL = 2.0
_DONE = ("delivered", "disputed", "released", "refunded", "expired")


class _Input(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SearchInput(_Input):
    query: str | None = Field(None, max_length=200, description="Search words.")
    max_price: str | None = Field(
        None, pattern=r"^\d{1,30}(\.\d{1,36})?$", description='The maximum price, as text such as "3.00".'
    )
    limit: int = Field(3, ge=1, le=5)


class BuyInput(_Input):
    agent: str = Field(min_length=1, max_length=100, description="The agent's slug, from search.")
    service: str = Field(min_length=1, max_length=100, description="The service's slug, from search.")
    input: dict[str, Any] | None = Field(
        None, description="Matches the service's input_schema. null if it has none."
    )
    purchase: str | None = Field(
        None,
        max_length=100,
        description="Omit it. Only to buy the same again: a new name for the further purchase.",
    )


class FollowInput(_Input):
    order_id: str = Field(pattern=r"^ord_[0-9a-z]{1,40}$")
    decision: Literal["accept", "request_changes", "dispute"] | None = None
    delivery: str | None = Field(
        None,
        max_length=40,
        description="With a decision: the mark of the delivery that you read, from the result of follow.",
    )
    reason: str | None = Field(
        None, min_length=1, max_length=2000, description="What is wrong, for changes and a dispute."
    )
    wait_seconds: int = Field(60, ge=1, le=600)


@dataclass(frozen=True)
class BuyerTool:
    name: str
    description: str
    schema: type[BaseModel]
    run: Callable[[Mapping[str, Any]], str]
    """Runs the tool in the calling thread. A failure is a text with a code; it never raises."""


class Spending:
    """The most that the tools of one agent pay in all, of each token by itself. An order is booked once, before it is
    signed, and stays booked if its payment fails. The sum is in memory."""

    def __init__(self, max_total: str | Decimal) -> None:
        self._max_total = Decimal(max_total)
        self._booked: dict[str, tuple[str, Decimal]] = {}
        self._lock = threading.Lock()

    def book(self, agreed: AgreedOrder) -> None:
        terms = agreed.escrow.terms
        token = f"{agreed.escrow.chain_id}:{terms.token}"
        # The client has compared the token's decimals with its own.
        amount = Decimal(from_base_units(terms.amount, agreed.agreement["token"]["decimals"]))
        with self._lock:
            if agreed.order_id in self._booked:
                return
            total = sum((one for name, one in self._booked.values() if name == token), amount)
            if total > self._max_total:
                raise RefusedCall(
                    "local_limit_exceeded",
                    f"Nothing was paid: {amount} for {agreed.order_id} would exceed the total of {self._max_total}. "
                    "The owner of the wallet sets this limit.",
                )
            self._booked[agreed.order_id] = (token, amount)


class _Buyer:
    def __init__(self, earnest: Earnest, spending: Spending, means: dict[str, Any]) -> None:
        self._earnest, self._spending, self._means = earnest, spending, means
        self._bought: dict[str, str] = {}
        """The orders of these tools by the caller's words. An equal purchase stays the same one after its end."""
        self._shown: dict[tuple[str, int | None, str], str] = {}
        """The marks of the deliveries that were shown. A model that knows the mark has the output before it."""

    def search(self, given: SearchInput) -> str:
        found = self._earnest.marketplace.search_services(
            q=OMITTED if given.query is None else given.query,
            max_price=OMITTED if given.max_price is None else Decimal(given.max_price),
            limit=given.limit,
        )
        facts, texts = [], []
        for listed in found.items:
            service = self._earnest.services.get(listed["agent"]["slug"], listed["slug"])
            shown = (
                "pricing_model",
                "price",
                "price_currency",
                "min_quantity",
                "delivery_time_hours",
                "available",
            )
            facts.append(
                {"agent": listed["agent"]["slug"], "service": listed["slug"]} | _pick(service, *shown)
            )
            texts.append(_pick(service, "title", "summary", "description", "input_schema", "output_schema"))
        return write_text(f"Services found: {len(facts)}.", {"services": facts}, texts)

    def buy(self, given: BuyInput) -> str:
        words = digest_of([given.agent, given.service, given.input, given.purchase])

        def on_agreed(order: types.Order, agreed: AgreedOrder) -> None:
            self._spending.book(agreed)
            self._bought[words] = order["id"]

        how = {**self._means, "on_agreed": on_agreed}
        if words in self._bought:
            purchase = self._earnest.resume(self._bought[words], **how)
        else:
            service: Any = self._earnest.services.get(given.agent, given.service)
            key = None if given.purchase is None else f"tools-{words[2:50]}"
            purchase = self._earnest.buy(service, given.input, key=key, **how)
        order = purchase.order
        return _write_order(f"{_describe(order)} Call follow to wait for its delivery.", order)

    def follow(self, given: FollowInput) -> str:
        def on_agreed(order: types.Order, _: AgreedOrder) -> None:
            if order["status"] == "created":
                raise RefusedCall("invalid_state", f"{given.order_id} is not paid. Repeat the call of buy.")

        purchase = self._earnest.resume(given.order_id, **self._means, on_agreed=on_agreed)
        end = time.monotonic() + given.wait_seconds
        while _is_awaited(order := self._earnest.orders.get(given.order_id)):
            if time.monotonic() >= end:
                return _write_order(f"{_describe(order)} Repeat the call of follow.", order)
            time.sleep(_POLL)
        delivery = purchase.delivery()
        name = (given.order_id, delivery.stage, delivery.output_hash)
        # No delivery is accepted unread, also not by calls of one step, which a model writes before any result.
        is_read = given.delivery is not None and given.delivery == self._shown.get(name)
        if given.decision is not None and is_read:
            return self._decide(purchase, given, delivery.stage)
        mark = self._shown.setdefault(name, secrets.token_hex(4))
        next_step = (
            f"Compare the output with the task, then call follow with a decision and the delivery {mark}."
        )
        text = {"output": delivery.output, "note": delivery.note}
        return _write_order(f"{_describe(delivery.order)} {next_step}", delivery.order, text)

    def _decide(self, purchase: Purchase, given: FollowInput, stage: int | None) -> str:
        if given.decision != "accept":
            if given.reason is None:
                raise RefusedCall("invalid_arguments", "Give the `reason`.")
            act = purchase.dispute if given.decision == "dispute" else purchase.request_changes
            act(given.reason)
            return _write_order(_describe(purchase.order), purchase.order)
        stages = purchase.order["stages"]
        if stage is not None and stages is not None and stage < len(stages):
            purchase.accept_stage(stage)
            return _write_order(
                f"Stage {stage} is paid. Call follow to wait for the next one.", purchase.order
            )
        claim = purchase.accept().verified.claim
        return _write_order(f"{_describe(purchase.order)} Its receipt is verified: {claim}.", purchase.order)


def create_buyer_tools(
    earnest: Earnest,
    *,
    wallet: Wallet,
    market: Markets,
    max_per_purchase: str | Decimal,
    max_total: str | Decimal,
    pay_with: PayWith = None,
) -> list[BuyerTool]:
    """Creates the tools of a buyer. The limits hold for all calls of these tools together."""
    means = {"wallet": wallet, "market": market, "max_amount": max_per_purchase, "pay_with": pay_with}
    buyer = _Buyer(earnest, Spending(max_total), means)

    def tool(name: str, description: str, schema: Any, run: Callable[[Any], str]) -> BuyerTool:
        def run_safely(given: Mapping[str, Any]) -> str:
            try:
                return run(schema.model_validate(given))
            except Exception as error:
                return explain(error)

        return BuyerTool(name, description, schema, run_safely)

    return [
        tool(
            "search",
            "Finds services that agents sell on the Earnest market, with price, delivery time and the schema of their "
            "input.",
            SearchInput,
            buyer.search,
        ),
        tool(
            "buy",
            "Buys a service: pays into an escrow within the owner's limits, and returns the order. An equal call is the "
            "same purchase and pays nothing more, so repeat it after an error. Then call follow.",
            BuyInput,
            buyer.buy,
        ),
        tool(
            "follow",
            "Waits for an order's delivery and returns the output. Compare it with the task, then call follow again with "
            "a decision and the delivery's mark: accept pays the provider permanently, request_changes is possible once, "
            "dispute calls the arbiter.",
            FollowInput,
            buyer.follow,
        ),
    ]


def _pick(source: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: source[name] for name in names if name in source}


def _is_awaited(order: types.Order) -> bool:
    """Whether a delivery may still come. A dispute may begin before it."""
    return order["status"] not in _DONE or (order["status"] == "disputed" and order["delivered_at"] is None)


def _describe(order: types.Order) -> str:
    return f"{order['id']} is {order['status']}."


def _write_order(sentence: str, order: types.Order, untrusted: Any = None) -> str:
    names = (
        "id",
        "status",
        "total_amount",
        "currency",
        "delivery_deadline",
        "acceptance_ends_at",
        "auto_release_at",
    )
    return write_text(sentence, {"order": _pick(order, *names)}, untrusted)
