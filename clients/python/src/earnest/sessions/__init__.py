"""Sessions: many small calls of one provider for one payment, at the buyer.

The provider's end is in the TypeScript client. docs/sessions.md of the repository has the rules.
"""

from .errors import (
    BalanceUsedError,
    CallRefusedError,
    CallUnansweredError,
    FileInUseError,
    UntrustedSessionError,
)
from .rules import CallVoucher, hash_of, read_voucher, statement_of, work_hash_of
from .session import CallAnswer, Session, open_session

__all__ = [
    "BalanceUsedError",
    "CallAnswer",
    "CallRefusedError",
    "CallUnansweredError",
    "CallVoucher",
    "FileInUseError",
    "Session",
    "UntrustedSessionError",
    "hash_of",
    "open_session",
    "read_voucher",
    "statement_of",
    "work_hash_of",
]
