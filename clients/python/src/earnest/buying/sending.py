"""Sends a call of the wallet to the chain, and waits until it is mined."""

from __future__ import annotations

import time
from typing import Any, cast

from .._core.flow import Flow, Run, Wait
from ..errors import NodeError, TransactionError
from ..settlement import Call, abi, keccak256
from ..wallet import AnyWallet, Sender
from .chain import Chain

_LONGEST_WAIT, _LONGEST_QUEUE, _POLL, _TRIES = 600.0, 60.0, 0.3, 5
_OVERTAKEN = ("nonce too low", "replacement transaction underpriced")


def send_call(chain: Chain, chain_id: int, wallet: AnyWallet, call: Call) -> Flow[str]:
    """Sends a call, and waits until it is mined.

    Returns:
        The transaction's hash

    Raises:
        NodeError: the node refused, for example because the call reverts. Nothing was sent
        TransactionError: the transaction reverted, or is not mined within ten minutes
        TypeError: the wallet cannot send transactions
    """
    if not isinstance(wallet, Sender):
        raise TypeError(
            "This wallet cannot send transactions: it has no sign_transaction, as LocalWallet has."
        )
    for attempt in range(1, _TRIES + 1):
        raw = yield from _sign(chain, chain_id, wallet, call)
        # The hash is computed here, because a node's response may be lost or wrong.
        sent = "0x" + keccak256(abi.from_hex(raw)).hex()
        try:
            yield from chain.ask("eth_sendRawTransaction", raw)
        except NodeError as error:
            known = error.code is not None and (yield from chain.ask("eth_getTransactionByHash", sent))
            # Another process of this wallet has used the nonce.
            overtaken = any(reason in error.reason.lower() for reason in _OVERTAKEN)
            if not known and overtaken and attempt < _TRIES:
                continue
            if not known:
                raise
        yield from _wait_for(chain, call, sent)
        return sent
    raise AssertionError("unreachable")


def _sign(chain: Chain, chain_id: int, wallet: Sender, call: Call) -> Flow[str]:
    asked = {"from": wallet.address, "to": call.to, "data": call.data, "value": "0x0"}
    try:
        gas = yield from chain.ask_number("eth_estimateGas", asked)
    except NodeError as error:
        # A node may refuse because of a pending transaction, such as the same call of a run before a crash. Its outcome
        # is known only once it is mined.
        if error.code is not None:
            yield from _wait_for_earlier(chain, wallet.address)
        raise
    nonce = yield from chain.ask_number("eth_getTransactionCount", wallet.address, "pending")
    tip = yield from chain.ask_number("eth_maxPriorityFeePerGas")
    block = yield from chain.ask("eth_getBlockByNumber", "latest", False)
    try:
        base = int(block["baseFeePerGas"], 16)
    except (KeyError, TypeError, ValueError) as error:
        raise NodeError("eth_getBlockByNumber", "the block has no base fee (EIP-1559)") from error
    transaction: dict[str, Any] = {
        "type": 2,
        "chainId": chain_id,
        "nonce": nonce,
        "to": call.to,
        "data": call.data,
        "value": 0,
        "gas": gas + gas // 4,
        "maxPriorityFeePerGas": tip,
        "maxFeePerGas": 2 * base + tip,
    }
    return cast(str, (yield Run(lambda: wallet.sign_transaction(transaction))))


def _wait_for_earlier(chain: Chain, address: str) -> Flow[None]:
    """Waits until no transaction of the account is pending, at most a minute."""
    end = time.monotonic() + _LONGEST_QUEUE
    while time.monotonic() < end:
        mined = yield from chain.ask_number("eth_getTransactionCount", address, "latest")
        if mined >= (yield from chain.ask_number("eth_getTransactionCount", address, "pending")):
            return
        yield Wait(_POLL)


def _wait_for(chain: Chain, call: Call, sent: str) -> Flow[None]:
    end = time.monotonic() + _LONGEST_WAIT
    while time.monotonic() < end:
        receipt = yield from chain.ask("eth_getTransactionReceipt", sent)
        if isinstance(receipt, dict):
            if receipt.get("status") != "0x1":
                raise TransactionError(call.function, sent, "was refused by the chain")
            return
        yield Wait(_POLL)
    raise TransactionError(call.function, sent, "is not mined yet")
