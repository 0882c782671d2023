"""What a buyer and a provider sign for the calls of a session (docs/sessions.md of the repository)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

SESSION_HEADER = "earnest-session"
VOUCHER_HEADER = "earnest-voucher"
CLOSE_HEADER = "earnest-close"
STATEMENT_HEADER = "earnest-statement"

PASSING = ("unknown_session", "call_in_progress", "busy")
"""Refusals that end by themselves: the same call is sent again."""

_VOUCHER = re.compile(r"([1-9][0-9]{0,38});(0x[0-9a-f]{64});(0x[0-9a-f]{130})")


@dataclass(frozen=True)
class CallVoucher:
    """The buyer's voucher for a call: the base units of all calls so far, the hash of this call, and the signature."""

    cumulative_amount: int
    work_hash: str
    signature: str

    def header(self) -> str:
        return f"{self.cumulative_amount};{self.work_hash};{self.signature}"


def read_voucher(text: str) -> CallVoucher | None:
    """Reads the header of a voucher; None if it has another form."""
    found = _VOUCHER.fullmatch(text)
    return CallVoucher(int(found[1]), found[2], found[3]) if found else None


_CLOSE = re.compile(r"(0|[1-9][0-9]{0,38});([1-9][0-9]{0,15});(0x[0-9a-f]{130})")


@dataclass(frozen=True)
class CloseRequest:
    """The buyer's signed wish to close: the base units of all calls, and the signature's deadline in Unix seconds."""

    provider_amount: int
    deadline: int
    signature: str

    def header(self) -> str:
        return f"{self.provider_amount};{self.deadline};{self.signature}"


def read_close_request(text: str) -> CloseRequest | None:
    """Reads the header of a close request; None if it has another form."""
    found = _CLOSE.fullmatch(text)
    return CloseRequest(int(found[1]), int(found[2]), found[3]) if found else None


def hash_of(data: bytes) -> str:
    """The SHA-256 of an input or an output."""
    return "0x" + hashlib.sha256(data).hexdigest()


def work_hash_of(escrow_id: str, cumulative_amount: int, input_hash: str) -> str:
    """The hash of a call, which its voucher signs."""
    return hash_of(f"earnest-call/1\n{escrow_id}\n{cumulative_amount}\n{input_hash}".encode())


def statement_of(escrow_id: str, cumulative_amount: int, work_hash: str, output_hash: str) -> bytes:
    """The text that the session's key signs for an answer (Ed25519)."""
    return f"earnest-answer/1\n{escrow_id}\n{cumulative_amount}\n{work_hash}\n{output_hash}".encode()
