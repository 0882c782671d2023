"""Pays an order that was checked, once: by one signature that the service sends, or by two calls of the wallet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping, cast

from .._core.flow import Flow, Run, ask
from .._generated import types
from .._generated.api import Api
from ..errors import ApiError, EarnestError, NodeError, TransactionError
from ..settlement import (
    approve_call,
    create_escrow_call,
    digest_of,
    receive_authorization_data,
    transfer_authorization_data,
)
from ..wallet import AnyWallet, Sender
from .agreed import AgreedOrder, Token, comparing
from .chain import Chain, read_now
from .sending import send_call
from .turns import in_turn

_ALLOWANCES = 3
"""How often a purchase allows the contract to take its amount, where another process spends what it allowed."""
_LONGEST_SECONDS = 600
"""The longest that a payer's signature stays good: one that is not used by then cannot surprise its payer."""


class PaymentFailedError(EarnestError):
    """The order was not paid: `reason` is x402's own word."""

    def __init__(self, order_id: str, reason: str) -> None:
        super().__init__(f"{order_id} was not paid: {reason}.")
        self.order_id = order_id
        self.reason = reason


def payment_nonce(escrow_id: str) -> str:
    """The nonce of the only authorizations that are ever signed for an order: the escrow's id.

    The token takes it once, so that no crash, no second process and no lie of the service makes the wallet pay twice, whether the
    authorization is to the deposit address or to the escrow contract.
    """
    return escrow_id


def sign(wallet: AnyWallet, data: Mapping[str, Any]) -> Flow[str]:
    """What a wallet makes of typed data."""
    return cast(str, (yield Run(lambda: wallet.sign_typed_data(data))))


@dataclass(frozen=True)
class Payment:
    """What is paid, and by whom."""

    api: Api
    agreed: AgreedOrder
    token: Token
    wallet: AnyWallet
    chain: Chain | None
    rail: types.SettlementRail

    def compare(self, field: str, expected: object, found: object) -> None:
        comparing(self.agreed.order_id)(f"payment_instructions.{field}", expected, found)


def assert_payable(wallet: AnyWallet, chain: Chain | None, rail: types.SettlementRail) -> None:
    """Raises TypeError where a wallet cannot pay by a rail: before an order is placed."""
    if rail == "escrow" and (chain is None or not isinstance(wallet, Sender)):
        raise TypeError(
            "The rail escrow needs a wallet with sign_transaction, as LocalWallet has, and a Market with rpc_url."
        )


def pay_order(payment: Payment) -> Flow[None]:
    """Pays an order once. Does nothing where it is being paid, as far as service or chain know.

    Raises:
        UntrustedOrderError: the instructions say something else than the agreement
        PaymentFailedError: the payment was refused
        TransactionError: the chain refused the wallet's call
    """
    if (yield from _is_paid(payment)):
        return
    try:
        shown = yield from ask(payment.api.orders.get_payment_instructions(payment.agreed.order_id))
    except ApiError as error:
        # The order is paid, or too late: its status says which.
        if error.code == "invalid_state":
            return
        raise
    _compare_instructions(payment, shown)
    yield from (_pay_by_signature if payment.rail == "x402" else _pay_by_calls)(payment, shown)


def _is_paid(payment: Payment) -> Flow[bool]:
    """Whether money of this order is on its way already, by the service's word or the chain's."""
    escrow, chain = payment.agreed.escrow, payment.chain
    latest = (yield from ask(payment.api.orders.get_payment(payment.agreed.order_id)))["payment"]
    if latest is not None and latest["status"] != "failed":
        return True
    if chain is None:
        return False
    if (yield from chain.has_escrow(escrow)):
        return True
    return (yield from chain.has_authorized(escrow, payment.wallet.address, payment_nonce(escrow.escrow_id)))


def _compare_instructions(payment: Payment, shown: types.PaymentInstructions) -> None:
    """Compares the service's payment terms with the agreement."""
    escrow, terms = payment.agreed.escrow, payment.agreed.escrow.terms
    expected: dict[str, object] = {
        "order_id": payment.agreed.order_id,
        "settlement_rail": payment.rail,
        "chain_id": escrow.chain_id,
        "escrow_contract": escrow.escrow_contract,
        "token_address": terms.token,
        "token_decimals": payment.token.decimals,
        "amount_base_units": str(terms.amount),
        "escrow_id": escrow.escrow_id,
        "deposit_address": escrow.deposit_address,
        "buyer_address": terms.buyer,
        "provider_address": terms.provider,
    }
    for name, value in expected.items():
        payment.compare(name, value, shown.get(name))
    for name, value in vars(terms).items():
        # The contract's own names, as in `fundBy`.
        called = re.sub("_(.)", lambda match: match[1].upper(), name)
        payment.compare(f"terms.{called}", str(value), str(shown["terms"].get(called)))


def _pay_by_calls(payment: Payment, shown: types.PaymentInstructions) -> Flow[None]:
    """The two calls, as this client writes them itself."""
    escrow, chain, wallet = payment.agreed.escrow, payment.chain, payment.wallet
    assert_payable(wallet, chain, "escrow")
    assert chain is not None
    approve, create = approve_call(escrow), create_escrow_call(escrow)
    calls = shown.get("calls") or []
    payment.compare("calls.length", 2, len(calls))
    for at, call in enumerate((approve, create)):
        for name, value in {**vars(call), "value": "0"}.items():
            payment.compare(f"calls[{at}].{name}", value, calls[at].get(name))

    def send() -> Flow[None]:
        # The same order may have been paid in an earlier turn.
        if (yield from chain.has_escrow(escrow)):
            return
        for left in range(_ALLOWANCES - 1, -1, -1):
            try:
                if not (yield from has_allowed()):
                    yield from send_call(chain, escrow.chain_id, wallet, approve)
                yield from send_call(chain, escrow.chain_id, wallet, create)
                return
            except (NodeError, TransactionError):
                # A call sent before a crash may have been mined meanwhile; the contract takes only one of them.
                if (yield from chain.has_escrow(escrow)):
                    return
                # Another process of this wallet may have spent what was allowed.
                if left == 0 or (yield from has_allowed()):
                    raise

    def has_allowed() -> Flow[bool]:
        return (yield from chain.read_allowance(escrow, wallet.address)) >= escrow.terms.amount

    allowance = (escrow.chain_id, escrow.escrow_contract, escrow.terms.token, wallet.address)
    yield from in_turn(allowance, send)


def _pay_by_signature(payment: Payment, shown: types.PaymentInstructions) -> Flow[None]:
    """One signature, for the service to send (x402 by EIP-3009)."""
    order_id = payment.agreed.order_id
    # The cheaper one first. Both have one nonce, so the token takes one of them; a refused one was not used.
    ways = _authorize(payment, shown, (yield from read_now(payment.chain)))
    for at, (member, data) in enumerate(ways):
        signature = yield from sign(payment.wallet, data)
        body = {"signature": signature, member: data["message"]}
        try:
            yield from ask(payment.api.orders.pay(order_id, body))
        except ApiError as error:
            # Being paid already, or no more to be paid: the order's status says which.
            if error.code in ("conflict", "invalid_state"):
                return
            if error.status != 402:
                raise
            reason = error.details[0].get("keyword") if error.details else error.message
            if reason == "invalid_exact_evm_nonce_already_used":
                return
            if at == len(ways) - 1:
                raise PaymentFailedError(order_id, str(reason)) from error
        else:
            return


def _authorize(
    payment: Payment, shown: types.PaymentInstructions, now: int
) -> list[tuple[str, dict[str, Any]]]:
    """The authorizations to sign, each with its name in a payment, the preferred one first: to the escrow contract where the
    service offers it, then to the deposit address. They are written from the agreement; what the service would have signed is
    compared with them."""
    escrow, terms, token = payment.agreed.escrow, payment.agreed.escrow.terms, payment.token
    accepts = shown["payment_required"]["accepts"] if "payment_required" in shown else []
    plain = [at for at, one in enumerate(accepts) if "assetTransferMethod" not in one["extra"]]
    if not plain:
        raise PaymentFailedError(
            payment.agreed.order_id,
            "its token takes no authorization (EIP-3009); place it on the rail escrow",
        )
    accepted = accepts[plain[0]]

    def compare(name: str, expected: object, found: object) -> None:
        payment.compare(f"payment_required.accepts[{plain[0]}].{name}", expected, found)

    compare("scheme", "exact", accepted["scheme"])
    compare("network", f"eip155:{escrow.chain_id}", accepted["network"])
    compare("amount", str(terms.amount), accepted["amount"])
    compare("asset", terms.token, accepted["asset"])
    compare("payTo", escrow.deposit_address, accepted["payTo"])
    name = accepted["extra"]["name"] if token.name is None else token.name
    version = accepted["extra"]["version"] if token.version is None else token.version
    compare("extra.name", name, accepted["extra"]["name"])
    compare("extra.version", version, accepted["extra"]["version"])
    valid_before = now + max(1, min(_LONGEST_SECONDS, terms.fund_by - now))
    payer = payment.wallet.address
    transfer = transfer_authorization_data(
        escrow,
        token_name=name,
        token_version=version,
        payer=payer,
        valid_before=valid_before,
        nonce=payment_nonce(escrow.escrow_id),
    )
    ways = [("authorization", transfer)]
    _compare_data(payment, "typed_data", transfer, shown.get("typed_data"), ("to", "value"))
    if "receive_authorization" in shown:
        receive = receive_authorization_data(
            escrow, token_name=name, token_version=version, payer=payer, valid_before=valid_before
        )
        found = shown.get("receive_authorization")
        _compare_data(payment, "receive_authorization", receive, found, ("to", "value", "nonce"))
        ways.insert(0, ("receiveAuthorization", receive))
    return ways


def _compare_data(
    payment: Payment, field: str, data: dict[str, Any], given: object, members: tuple[str, ...]
) -> None:
    """Compares typed data of the service with what is signed; its times are the wallet's own."""
    found = cast("dict[str, Any]", given or {})
    payment.compare(f"{field}.primaryType", data["primaryType"], found.get("primaryType"))
    for member, value in data["domain"].items():
        payment.compare(f"{field}.domain.{member}", value, (found.get("domain") or {}).get(member))
    payment.compare(f"{field}.types", digest_of(data["types"]), digest_of(found.get("types")))
    for member in members:
        shown_value = (found.get("message") or {}).get(member)
        payment.compare(f"{field}.message.{member}", data["message"][member], shown_value)
