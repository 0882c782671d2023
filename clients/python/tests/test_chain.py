"""What is asked of a node, and sent by it: the escrow contract's code, calls of the wallet's own."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flaky import Answer, FlakyServer, Seen
from vectors import root

from earnest import LocalWallet, NodeError, TransactionError
from earnest._core.driver import Driver
from earnest.buying.chain import Chain
from earnest.buying.sending import send_call
from earnest.settlement import Call, abi, checksum_address, deposit_implementation_of, keccak256
from earnest.settlement.escrow_code import DEPOSIT, ESCROW, find_difference

text = (root / "abis" / "build.ts").read_text("utf-8")
contract = checksum_address("0x" + "5a" * 20)


def read_build(name: str) -> tuple[bytes, dict[str, tuple[int, ...]]]:
    match = re.search(rf'{name}: {{\s*code: "0x([0-9a-f]+)",\s*immutables: {{(.*?)}}', text, re.DOTALL)
    assert match
    places = re.findall(r"(\w+): \[([\d, ]+)\]", match[2])
    return bytes.fromhex(match[1]), {one: tuple(map(int, at.split(","))) for one, at in places}


def deployed() -> tuple[bytearray, bytearray]:
    """The code as it stands on chain 31337 once it is deployed at `contract`."""
    own = abi.encode(contract)
    name, version = b"Earnest Escrow", b"1"
    domain = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    hashes = keccak256(name) + keccak256(version)
    words = {
        "ESCROW": own,
        "DEPOSIT_IMPLEMENTATION": abi.encode(deposit_implementation_of(contract)),
        "_cachedDomainSeparator": keccak256(keccak256(domain.encode()) + hashes + abi.encode(31337) + own),
        "_cachedChainId": abi.encode(31337),
        "_cachedThis": own,
        "_hashedName": keccak256(name),
        "_hashedVersion": keccak256(version),
        "_name": name.ljust(31, b"\0") + bytes([len(name)]),
        "_version": version.ljust(31, b"\0") + bytes([len(version)]),
    }
    found = []
    for kind in ("escrow", "deposit"):
        code, immutables = read_build(kind)
        filled = bytearray(code)
        for one, places in immutables.items():
            for at in places:
                filled[at : at + 32] = words[one]
        found.append(filled)
    return found[0], found[1]


def test_the_build_is_that_of_the_repository() -> None:
    for name, build in (("escrow", ESCROW), ("deposit", DEPOSIT)):
        code, immutables = read_build(name)
        assert (build.size, dict(build.immutables)) == (len(code), immutables)
    assert find_difference(31337, contract, *map(bytes, deployed())) is None


def test_any_other_code_is_told_from_the_escrow() -> None:
    places = {at for build in (ESCROW, DEPOSIT) for one in build.immutables.values() for at in one}
    for which in (0, 1):
        for at in sorted({0, 40, 780, *places}):
            codes = deployed()
            if at >= len(codes[which]):
                continue
            codes[which][at] ^= 1
            assert find_difference(31337, contract, *map(bytes, codes)), at
    escrow, deposit = map(bytes, deployed())
    assert "has 0 bytes of code" in (find_difference(31337, contract, b"", deposit) or "")
    assert find_difference(31337, contract, escrow + b"\0", deposit)
    assert find_difference(1, contract, escrow, deposit)
    assert find_difference(31337, checksum_address("0x" + "5b" * 20), escrow, deposit)


class Node:
    """A node with the given responses. By default it mines at once."""

    def __init__(self, server: FlakyServer) -> None:
        self.server = server
        self.sent: list[str] = []
        self.count = 7
        self.refusals: list[str] = []
        """The refusals of `eth_sendRawTransaction`, in order."""
        self.known: Any = None
        self.status = "0x1"
        server.otherwise = self.answer

    def answer(self, seen: Seen) -> Answer:
        method = seen.body["method"]
        if method == "eth_sendRawTransaction":
            self.sent.append(seen.body["params"][0])
            if self.refusals:
                self.count += 1
                return refusal(self.refusals.pop(0))
        answers = {
            "eth_estimateGas": "0x5208",
            "eth_getTransactionCount": hex(self.count),
            "eth_maxPriorityFeePerGas": "0x1",
            "eth_getBlockByNumber": {"baseFeePerGas": "0x7", "timestamp": "0x1"},
            "eth_sendRawTransaction": "0x" + "00" * 32,
            "eth_getTransactionByHash": self.known,
            "eth_getTransactionReceipt": {"status": self.status},
        }
        return Answer({"jsonrpc": "2.0", "id": 1, "result": answers[method]})

    def send(self) -> str:
        wallet = LocalWallet("0x" + "77" * 32)
        driver = Driver()
        try:
            return driver.run(send_call(Chain(self.server.url), 31337, wallet, Call("act", contract, "0x01")))
        finally:
            driver.close()


def refusal(message: str) -> Answer:
    return Answer({"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": message}})


@pytest.fixture
def node(server: FlakyServer) -> Node:
    return Node(server)


def test_a_call_is_named_by_its_own_hash_whatever_the_node_says(node: Node) -> None:
    assert node.send() == "0x" + keccak256(abi.from_hex(node.sent[0])).hex()
    asked = next(one for one in node.server.seen if one.body["method"] == "eth_getTransactionReceipt")
    assert asked.body["params"] == [node.send()]


def test_a_number_that_another_process_took_is_counted_anew(node: Node) -> None:
    node.refusals = ["nonce too low", "replacement transaction underpriced"]
    node.send()
    assert len(set(node.sent)) == 3


def test_a_transaction_whose_answer_was_lost_is_not_sent_anew(node: Node) -> None:
    node.refusals, node.known = ["nonce too low"], {"hash": "0x1"}
    node.send()
    assert len(node.sent) == 1


def test_what_the_node_refuses_is_an_error(node: Node) -> None:
    node.refusals = ["insufficient funds"]
    with pytest.raises(NodeError, match="insufficient funds"):
        node.send()
    node.status = "0x0"
    with pytest.raises(TransactionError, match="act was refused by the chain: 0x"):
        node.send()


def test_a_node_that_is_busy_is_asked_again(node: Node) -> None:
    node.server.answers = [Answer("busy", 429), Answer(fault="lost"), Answer({"result": "0x7a69"})]
    driver = Driver()
    assert driver.run(Chain(node.server.url).read_chain_id()) == 31337
    for answer, reason in (
        (Answer({"result": "x"}), "is no number"),
        (Answer(["x"]), "is not JSON-RPC"),
        (Answer({"error": {"code": -32601, "message": "no such method"}}), "no such method"),
    ):
        node.server.answers = [answer]
        with pytest.raises(NodeError, match=reason):
            driver.run(Chain(node.server.url).read_chain_id())
    driver.close()
