"""Pays a checked order once: by one signature that the service sends, or by two calls of the wallet."""

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
from .agreed import AgreedOrder
from .chain import Chain, read_now
from .market import Token, create_comparison
from .offered import read_payable
from .sending import send_call
from .turns import in_turn

_ALLOWANCES = 3
"""The most times that a purchase approves its amount, because another process may use up the allowance."""
LONGEST_SECONDS = 600
"""The longest validity of a payer's signature, in seconds, so that an unused signature soon expires."""


class PaymentFailedError(EarnestError):
    """The order was not paid. `reason` is an x402 error code or the chain's error."""

    def __init__(self, order_id: str, reason: str) -> None:
        super().__init__(f"{order_id} was not paid: {reason}.")
        self.order_id = order_id
        self.reason = reason


def payment_nonce(escrow_id: str) -> str:
    """Returns the nonce of all authorizations for an order: the escrow's id.

    The token accepts a nonce once. So no crash, second process or dishonest service can make a wallet pay twice, to the
    deposit address or to the escrow contract.
    """
    return escrow_id


def sign(wallet: AnyWallet, data: Mapping[str, Any]) -> Flow[str]:
    """Returns the wallet's signature of typed data."""
    return cast(str, (yield Run(lambda: wallet.sign_typed_data(data))))


@dataclass(frozen=True)
class Payment:
    """The payment of a checked order."""

    api: Api
    agreed: AgreedOrder
    token: Token
    wallet: AnyWallet
    chain: Chain | None
    rail: types.SettlementRail

    def compare(self, field: str, expected: object, found: object) -> None:
        create_comparison(self.agreed.order_id)(f"payment_instructions.{field}", expected, found)


def assert_payable(wallet: AnyWallet, chain: Chain | None, rail: types.SettlementRail) -> None:
    """Raises TypeError if the wallet cannot pay by the rail, before an order is placed."""
    if rail == "escrow" and (chain is None or not isinstance(wallet, Sender)):
        raise TypeError(
            "The rail escrow needs a wallet with sign_transaction, as LocalWallet has, and a Market with rpc_url."
        )


def pay_order(payment: Payment) -> Flow[None]:
    """Pays an order once. Does nothing if the service or the chain knows of a payment.

    Raises:
        UntrustedOrderError: the instructions differ from the agreement
        PaymentFailedError: the payment was refused
        TransactionError: the chain refused the wallet's call
    """
    if (yield from _is_paid(payment)):
        return
    try:
        shown = yield from ask(payment.api.orders.get_payment_instructions(payment.agreed.order_id))
    except ApiError as error:
        # The order is paid or expired. The caller reads its status.
        if error.code == "invalid_state":
            return
        raise
    _compare_instructions(payment, shown)
    yield from (_pay_by_signature if payment.rail == "x402" else _pay_by_calls)(payment, shown)


def _is_paid(payment: Payment) -> Flow[bool]:
    """Whether the service or the chain knows of a payment of this order."""
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
    """Compares the service's payment instructions with the agreement."""
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
        # The names of the contract's terms, as in `fundBy`.
        called = re.sub("_(.)", lambda match: match[1].upper(), name)
        payment.compare(f"terms.{called}", str(value), str(shown["terms"].get(called)))


def _pay_by_calls(payment: Payment, shown: types.PaymentInstructions) -> Flow[None]:
    """Builds the two calls that pay."""
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
        # Another purchase may have paid the same order while this one waited.
        if (yield from chain.has_escrow(escrow)):
            return
        for left in range(_ALLOWANCES - 1, -1, -1):
            try:
                if not (yield from has_allowed()):
                    yield from send_call(chain, escrow.chain_id, wallet, approve)
                yield from send_call(chain, escrow.chain_id, wallet, create)
                return
            except (NodeError, TransactionError):
                # A call of a run before a crash may be mined now. The contract accepts only one.
                if (yield from chain.has_escrow(escrow)):
                    return
                # Another process of this wallet may have used the allowance.
                if left == 0 or (yield from has_allowed()):
                    raise

    def has_allowed() -> Flow[bool]:
        return (yield from chain.read_allowance(escrow, wallet.address)) >= escrow.terms.amount

    allowance = (escrow.chain_id, escrow.escrow_contract, escrow.terms.token, wallet.address)
    yield from in_turn(allowance, send)


def _pay_by_signature(payment: Payment, shown: types.PaymentInstructions) -> Flow[None]:
    """Pays by one EIP-3009 signature that the service sends (x402)."""
    order_id = payment.agreed.order_id
    # The cheaper authorization is first. Both have the same nonce, so the token accepts at most one.
    ways = _authorize(payment, shown, (yield from read_now(payment.chain)))
    for at, (member, data) in enumerate(ways):
        signature = yield from sign(payment.wallet, data)
        body = {"signature": signature, member: data["message"]}
        try:
            yield from ask(payment.api.orders.pay(order_id, body))
        except ApiError as error:
            # The order is being paid or cannot be paid. The caller reads its status.
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
    """Builds the possible authorizations, each with its name in a payment: to the escrow contract if the service offers
    it, then to the deposit address. They are computed from the agreement, and the service's data is compared with
    them."""
    escrow, terms, token = payment.agreed.escrow, payment.agreed.escrow.terms, payment.token
    accepts = shown["payment_required"]["accepts"] if "payment_required" in shown else []
    plain = [at for at, one in enumerate(accepts) if "assetTransferMethod" not in one["extra"]]
    if not plain:
        raise PaymentFailedError(
            payment.agreed.order_id,
            "its token has no EIP-3009; place the order on the rail escrow",
        )
    accepted = accepts[plain[0]]

    field = f"payment_instructions.payment_required.accepts[{plain[0]}]"
    name, version = read_payable(payment.agreed, accepted, token, field)
    valid_before = now + max(1, min(LONGEST_SECONDS, terms.fund_by - now))
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
    """Compares the service's typed data with the data to sign, without the times, which the wallet chooses."""
    found = cast("dict[str, Any]", given or {})
    payment.compare(f"{field}.primaryType", data["primaryType"], found.get("primaryType"))
    for member, value in data["domain"].items():
        payment.compare(f"{field}.domain.{member}", value, (found.get("domain") or {}).get(member))
    payment.compare(f"{field}.types", digest_of(data["types"]), digest_of(found.get("types")))
    for member in members:
        shown_value = (found.get("message") or {}).get(member)
        payment.compare(f"{field}.message.{member}", data["message"][member], shown_value)
