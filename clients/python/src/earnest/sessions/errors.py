"""The errors of sessions."""

from __future__ import annotations

from ..errors import EarnestError, UntrustedError

__all__ = [
    "BalanceUsedError",
    "CallRefusedError",
    "CallUnansweredError",
    "FileInUseError",
    "UntrustedSessionError",
]


class CallRefusedError(EarnestError):
    """The provider refused a call. The call is not charged: the next call uses the same amount."""

    def __init__(self, order_id: str, code: str, status: int, message: str) -> None:
        super().__init__(f"{order_id}: {message}")
        self.order_id, self.code, self.status = order_id, code, status


class CallUnansweredError(EarnestError):
    """No answer came in time. The next call asks for this call's answer first, so nothing is paid twice."""

    def __init__(self, order_id: str, reason: str) -> None:
        super().__init__(
            f"{order_id}: the call has no answer yet: {reason}. The next call asks for it first."
        )
        self.order_id = order_id


class UntrustedSessionError(UntrustedError):
    """The provider broke the rules of a session. No more calls are signed. At most one call is lost."""

    def __init__(self, order_id: str, reason: str) -> None:
        super().__init__(f"{order_id}: {reason} No more calls are signed. Close the session.")
        self.order_id, self.reason = order_id, reason


class BalanceUsedError(EarnestError):
    """The balance pays no more calls."""

    def __init__(self, order_id: str) -> None:
        super().__init__(
            f"{order_id}: the balance pays no more calls. Open a further session, or pass top_ups."
        )
        self.order_id = order_id


class FileInUseError(EarnestError):
    """Another process has the session's file open."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"Another process uses {path}. Stop that process, or use another file: a session file has one process."
        )
        self.path = path
