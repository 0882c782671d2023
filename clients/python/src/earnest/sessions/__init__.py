"""Sessions: many small calls of one provider for one payment, at the buyer and at the provider.

docs/sessions.md of the repository has the rules.
"""

from .buyer_session import CallAnswer, Session
from .call_server import CallContext, CallHandler, CallLimits
from .errors import (
    BalanceUsedError,
    CallRefusedError,
    CallUnansweredError,
    FileInUseError,
    UntrustedSessionError,
)
from .opening import open_session
from .rules import CallVoucher, hash_of, read_voucher, statement_of, work_hash_of
from .serve import ServedCalls, serve_calls
from .session_key import session_key_of

__all__ = [
    "BalanceUsedError",
    "CallAnswer",
    "CallContext",
    "CallHandler",
    "CallLimits",
    "CallRefusedError",
    "CallUnansweredError",
    "CallVoucher",
    "FileInUseError",
    "ServedCalls",
    "Session",
    "UntrustedSessionError",
    "hash_of",
    "open_session",
    "read_voucher",
    "serve_calls",
    "session_key_of",
    "statement_of",
    "work_hash_of",
]
