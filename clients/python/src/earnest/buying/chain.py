"""An order's state on the chain, read from the caller's node and not from the service."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from .._core.flow import Flow
from .._core.rpc import ask_node
from ..errors import REVERT, NodeError
from ..settlement import DerivedDeposit, abi, deposit_implementation_of
from ..settlement.escrow_code import find_difference
from ..settlement.typed_data import PERMIT2

_good: set[tuple[str, int, str]] = set()
"""The contracts whose code was verified, for each node. Code does not change."""


_FIRST_END = 4
"""The least number of the contract's `Status` whose money has left: released, refunded or split."""


@dataclass(frozen=True)
class EscrowState:
    """An escrow on the chain."""

    is_over: bool
    """Whether its money has left."""
    paid: int
    """The base units that parts have paid."""
    funded_at: int
    """Unix seconds."""


@dataclass(frozen=True)
class Chain:
    """A chain that is read from a node."""

    rpc_url: str

    def ask(self, method: str, *params: Any) -> Flow[Any]:
        return (yield from ask_node(self.rpc_url, method, *params))

    def ask_number(self, method: str, *params: Any) -> Flow[int]:
        found = yield from self.ask(method, *params)
        try:
            return int(found, 16)
        except (TypeError, ValueError) as error:
            raise NodeError(method, "the answer is no number") from error

    def ask_bytes(self, method: str, *params: Any) -> Flow[bytes]:
        found = yield from self.ask(method, *params)
        try:
            return abi.from_hex(found)
        except (AttributeError, TypeError, ValueError) as error:
            raise NodeError(method, "the answer is not in hex") from error

    def read_words(self, to: str, signature: str, *values: abi.Value) -> Flow[list[int]]:
        """Returns the words of a view function's result. Raises NodeError with `reverted` if there is no such function."""
        call = {"to": to, "data": abi.encode_call(signature, *values)}
        data = yield from self.ask_bytes("eth_call", call, "latest")
        if len(data) < 32:
            # A result without words comes from the contract, as a revert does.
            raise NodeError("eth_call", f"{to} does not answer {signature}", REVERT)
        return [int.from_bytes(data[at : at + 32], "big") for at in range(0, len(data), 32)]

    def read_chain_id(self) -> Flow[int]:
        return (yield from self.ask_number("eth_chainId"))

    def read_decimals(self, token: str) -> Flow[int]:
        return (yield from self.read_words(token, "decimals()"))[0]

    def read_allowance(self, escrow: DerivedDeposit, owner: str) -> Flow[int]:
        """Returns the amount of the token that the escrow contract may take from an owner."""
        token, contract = escrow.terms.token, escrow.escrow_contract
        return (yield from self.read_words(token, "allowance(address,address)", owner, contract))[0]

    def read_balance(self, token: str, holder: str) -> Flow[int]:
        return (yield from self.read_words(token, "balanceOf(address)", holder))[0]

    def has_permitted(self, payer: str, nonce: int) -> Flow[bool]:
        """Whether a nonce of Permit2 was used."""
        word = nonce >> 8
        bits = (yield from self.read_words(PERMIT2, "nonceBitmap(address,uint256)", payer, word))[0]
        return bits & (1 << (nonce & 255)) != 0

    def has_escrow(self, escrow: DerivedDeposit) -> Flow[bool]:
        """Whether the escrow was created, whatever its present status."""
        words = yield from self.read_words(escrow.escrow_contract, "getEscrow(bytes32)", escrow.escrow_id)
        return words[0] != 0

    def read_state(self, escrow: DerivedDeposit) -> Flow[EscrowState]:
        words = yield from self.read_words(escrow.escrow_contract, "getEscrow(bytes32)", escrow.escrow_id)
        return EscrowState(words[0] >= _FIRST_END, paid=words[5], funded_at=words[2])

    def has_authorized(self, escrow: DerivedDeposit, payer: str, nonce: str) -> Flow[bool]:
        """Whether an authorization was used: the money is or was at the deposit address."""
        signature = "authorizationState(address,bytes32)"
        try:
            return (yield from self.read_words(escrow.terms.token, signature, payer, nonce))[0] != 0
        except NodeError as error:
            # A token without EIP-3009 has no used authorization.
            if error.reverted:
                return False
            raise

    def find_code_difference(self, escrow: DerivedDeposit) -> Flow[str | None]:
        """Returns the difference of the contract from the escrow of this build as a sentence; None if there is none."""
        address, implementation = escrow.escrow_contract, deposit_implementation_of(escrow.escrow_contract)
        known = (self.rpc_url, escrow.chain_id, address)
        if known in _good:
            return None
        code = yield from self.ask_bytes("eth_getCode", address, "latest")
        clones = yield from self.ask_bytes("eth_getCode", implementation, "latest")
        difference = find_difference(escrow.chain_id, address, code, clones)
        if difference is None:
            _good.add(known)
        return difference

    def read_time(self) -> Flow[int]:
        """Returns the time of the latest block in Unix seconds."""
        block = yield from self.ask("eth_getBlockByNumber", "latest", False)
        try:
            return int(block["timestamp"], 16)
        except (KeyError, TypeError, ValueError) as error:
            raise NodeError("eth_getBlockByNumber", "the result is not a block") from error


def read_now(chain: Chain | None) -> Flow[int]:
    """Returns Unix seconds by the later of both clocks, because a local chain's clock may be ahead."""
    here = int(time.time())
    return here if chain is None else max(here, (yield from chain.read_time()))
