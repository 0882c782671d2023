"""The refusals of a provider's endpoint."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Mapping

from .rules import PASSING

STATUS = {
    "malformed": 400,
    "wrong_signature": 401,
    "balance_used": 402,
    "unknown_session": 404,
    "input_too_slow": 408,
    "wrong_amount": 409,
    "call_in_progress": 409,
    "session_ended": 410,
    "input_too_large": 413,
    "wrong_work_hash": 422,
    "busy": 429,
    "handler_failed": 500,
}
"""The HTTP status of each refusal. No refused call is paid for."""


@dataclass(frozen=True)
class Reply:
    """An answer of the endpoint."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class CallRefusal(Exception):
    """The endpoint refuses a call. The message goes to the buyer."""

    def __init__(self, code: str, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.code, self.facts = code, facts

    def reply(self) -> Reply:
        error = {"code": self.code, "message": str(self), **self.facts}
        headers = {"content-type": "application/json"}
        if self.code in PASSING:
            headers["retry-after"] = "1"
        if self.code in ("input_too_large", "input_too_slow"):
            # The rest of an input that is refused unread is not waited for.
            headers["connection"] = "close"
        return Reply(STATUS[self.code], headers, json.dumps({"error": error}).encode())
