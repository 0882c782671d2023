"""The check of a settlement document's claim on the chain. It does not check the signature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping

from .._core.flow import Flow
from .._core.rpc import ask_node
from ..errors import NodeError
from ..settlement.digest import keccak256
from ..settlement.terms import TERMS_TYPE, Terms, escrow_id_of
from .errors import Rejection
from .reading import matches

_EVENTS = {
    "0x" + keccak256(signature.encode()).hex(): signature.partition("(")[0]
    for signature in (
        f"EscrowCreated(bytes32,bytes32,address,{TERMS_TYPE})",
        "PartReleased(bytes32,address,address,uint256,uint256,bytes32)",
        "Released(bytes32,address,address,uint256)",
        "Refunded(bytes32,address,address,uint256)",
    )
}
_EVENT_OF_CLAIM = {
    "funded": "EscrowCreated",
    "part_released": "PartReleased",
    "released": "Released",
    "refunded": "Refunded",
}


@dataclass(frozen=True)
class ChainNode:
    """A node, and the requirements for its answer."""

    rpc_url: str
    confirmations: int = 1
    """The required depth; 1 means mined."""
    contract: str | None = None
    """The expected escrow contract. Anyone can deploy a contract that emits the same events."""
    timeout: float = 10.0


@dataclass(frozen=True)
class ChainAnswer:
    checked: bool
    """False if the chain could not be read."""
    agrees: bool
    confirmations: int | None = None
    code: str | None = None
    """Why the chain does not agree, or could not be read."""
    message: str | None = None


def _ask(node: ChainNode, method: str, *params: Any) -> Flow[Any]:
    return ask_node(node.rpc_url, method, *params, timeout=node.timeout, tries=1)


def read_block_time(node: ChainNode, block_hash: str) -> Flow[int | None]:
    """Returns the time of a block in Unix seconds; None if the node does not have it."""
    try:
        block = yield from _ask(node, "eth_getBlockByHash", block_hash, False)
        return int(block["timestamp"], 16)
    except (NodeError, TypeError, KeyError, ValueError):
        return None


def confirm_flow(document: Mapping[str, Any], node: ChainNode) -> Flow[ChainAnswer]:
    """See `confirm_on_chain`."""
    depth: int | None = None
    try:
        if node.contract is not None and not matches(r"0x[0-9a-fA-F]{40}")(node.contract):
            return ChainAnswer(
                False, False, None, "invalid_shape", "The expected contract is not an address."
            )
        chain_id = int((yield from _ask(node, "eth_chainId")), 16)
        if document["chain"] != f"eip155:{chain_id}":
            wrong = Rejection("wrong_chain", f"It is eip155:{chain_id}, not {document['chain']}.")
            return ChainAnswer(False, False, None, wrong.code, str(wrong))
        receipt = yield from _ask(node, "eth_getTransactionReceipt", document["transaction"])
        head = int((yield from _ask(node, "eth_blockNumber")), 16)
        if receipt is None:
            raise Rejection("transaction_not_found", f"It is {document['transaction']}.")
        depth = max(head - int(receipt["blockNumber"], 16) + 1, 0)
        _assert_claim(document, receipt, node)
        if depth < node.confirmations:
            raise Rejection("too_few_confirmations", f"It has {depth} of {node.confirmations}.")
        return ChainAnswer(True, True, depth)
    except Rejection as rejection:
        return ChainAnswer(True, False, depth, rejection.code, str(rejection))
    except (NodeError, TypeError, KeyError, ValueError, IndexError) as error:
        unreachable = Rejection("chain_unreachable", f"{type(error).__name__}: {error}")
        return ChainAnswer(False, False, None, unreachable.code, str(unreachable))


def _assert_claim(document: Mapping[str, Any], receipt: Mapping[str, Any], node: ChainNode) -> None:
    if int(receipt["status"], 16) != 1:
        raise Rejection("transaction_reverted")
    _assert_same("block_mismatch", receipt["blockHash"], document["block_hash"])
    _assert_same("block_mismatch", int(receipt["blockNumber"], 16), document["block_number"])
    logs = [log for log in receipt["logs"] if int(log["logIndex"], 16) == document["log_index"]]
    if not logs:
        raise Rejection("log_not_found", f"It is log {document['log_index']} of the block.")
    _assert_same("contract_mismatch", logs[0]["address"], document["contract"])
    if node.contract is not None and node.contract.lower() != document["contract"].lower():
        raise Rejection(
            "contract_mismatch", f"The receipt names {document['contract']}, you expect {node.contract}."
        )
    _assert_event(logs[0], document)
    if document["version"] == 2:
        _assert_same("terms_mismatch", escrow_id_of_document(document), document["escrow_id"])


def escrow_id_of_document(document: Mapping[str, Any]) -> str:
    """Computes the escrow's id from the terms of a document of version 2, as the contract does."""
    terms = document["terms"]
    return escrow_id_of(
        int(document["chain"].removeprefix("eip155:")),
        document["contract"],
        Terms(
            buyer=document["buyer"],
            provider=document["provider"],
            token=document["token"],
            amount=int(terms["amount"]),
            fund_by=terms["fund_by"],
            delivery_window=terms["delivery_window"],
            acceptance_window=terms["acceptance_window"],
            dispute_window=terms["dispute_window"],
            appeal_window=terms["appeal_window"],
            arbiter=terms["arbiter"],
            order_hash=document["agreement_hash"],
        ),
    )


def _assert_event(log: Mapping[str, Any], document: Mapping[str, Any]) -> None:
    topics = [topic.lower() for topic in log["topics"]]
    event = _EVENTS.get(topics[0]) if topics else None
    if event is None or len(topics) != 4:
        raise Rejection("event_mismatch", "The log is no event of the escrow contract.")
    if event != _EVENT_OF_CLAIM[document["claim"]]:
        raise Rejection("event_mismatch", f"It is {event}, the claim is {document['claim']}.")
    words = [log["data"][at : at + 64] for at in range(2, len(log["data"]), 64)]
    _assert_same("escrow_mismatch", topics[1], document["escrow_id"])
    if event == "EscrowCreated":
        _assert_same("agreement_mismatch", topics[2], document["agreement_hash"])
        _assert_same("party_mismatch", _address_of(words[0]), document["buyer"])
        _assert_same("party_mismatch", _address_of(words[1]), document["provider"])
        _assert_same("token_mismatch", _address_of(words[2]), document["token"])
        _assert_same("amount_mismatch", int(words[3], 16), int(document["amount"]))
        return
    party = document["buyer" if event == "Refunded" else "provider"]
    _assert_same("party_mismatch", _address_of(topics[2]), party)
    _assert_same("token_mismatch", _address_of(topics[3]), document["token"])
    _assert_same("amount_mismatch", int(words[0], 16), int(document["amount"]))
    if event == "PartReleased":
        _assert_same("amount_mismatch", int(words[1], 16), int(document["released_so_far"]))


def _address_of(word: str) -> str:
    return f"0x{word[-40:]}"


def _assert_same(code: str, actual: str | int, stated: str | int) -> None:
    if str(actual).lower() != str(stated).lower():
        raise Rejection(code, f"The chain has {actual}, the receipt says {stated}.")
