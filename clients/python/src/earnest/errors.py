"""What this package raises of its own accord, but for wrong arguments, which are a TypeError or ValueError."""

from __future__ import annotations

import json
from typing import Any, cast

import httpx2

from ._core.retry_after import read_retry_after
from ._generated import types

__all__ = [
    "ApiError",
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "ConnectionError",
    "EarnestError",
    "NodeError",
    "NotFoundError",
    "PaymentRequiredError",
    "PermissionDeniedError",
    "PreconditionFailedError",
    "RateLimitError",
    "ServerError",
    "TimeoutError",
    "TransactionError",
    "UnprocessableError",
    "UntrustedError",
    "UntrustedTextError",
]


class EarnestError(Exception):
    """The base of all errors of this package."""


class UntrustedError(EarnestError):
    """The service's word is not what follows from what was agreed. Nothing was signed, and nothing was sent."""


class UntrustedTextError(UntrustedError):
    """The service gave a text that does not say what was asked for. Nothing was signed."""


class ConnectionError(EarnestError):
    """No whole answer came: the connection failed, or the answer was cut.

    A write may have been made: send it again with `idempotency_key` to learn what became of it.
    """

    idempotency_key: str | None
    attempts: int
    """How often the request was sent."""

    def __init__(self, message: str, *, idempotency_key: str | None = None, attempts: int = 1) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key
        self.attempts = attempts


class TimeoutError(ConnectionError):
    """No whole answer came within `timeout`."""


REVERT = 3
"""What nodes answer by where a call reverts."""


class NodeError(EarnestError):
    """A node of the chain could not be asked, or refused."""

    def __init__(self, method: str, reason: str, code: int | None = None) -> None:
        super().__init__(f"The chain's node, asked for {method}: {reason}.")
        self.method = method
        self.reason = reason
        self.code = code
        """The JSON-RPC code of the refusal; None without a response."""

    @property
    def reverted(self) -> bool:
        """Whether a contract refused what was asked of it."""
        return self.code == REVERT or (self.code is not None and "revert" in self.reason.lower())


class TransactionError(EarnestError):
    """The wallet's transaction was refused by the chain, or is not mined yet. `hash` names it."""

    def __init__(self, call: str, hash: str, reason: str) -> None:
        super().__init__(f"The transaction of {call} {reason}: {hash}.")
        self.hash = hash


class ApiError(EarnestError):
    """The service refused. `code` is stable: decide by it, or by the class."""

    status: int
    code: str
    """One of `earnest.error_codes`, which may grow. `unknown` where something else than the service answered."""
    message: str
    request_id: str | None
    """Quote it in reports."""
    details: list[types.Violation]
    """What is wrong, each with its place; empty where the refusal names none."""
    retry_after: float | None
    """Seconds of the header `Retry-After`, at most 366 days; None without the header."""
    idempotency_key: str | None
    attempts: int
    headers: httpx2.Headers
    body: Any
    """The body, parsed where it is JSON."""

    def __init__(
        self, *, status: int, headers: httpx2.Headers, text: str, idempotency_key: str | None, attempts: int
    ) -> None:
        body = _parse_or_text(text)
        error = body.get("error") if isinstance(body, dict) else None
        envelope: dict[str, Any] = error if isinstance(error, dict) else {}
        code, message, request_id = (envelope.get(name) for name in ("code", "message", "request_id"))
        details = envelope.get("details")
        self.status = status
        self.code = code if isinstance(code, str) else "payment_required" if status == 402 else "unknown"
        reason = error if isinstance(error, str) else f"The answer is {status}"
        self.message = message if isinstance(message, str) else reason
        self.request_id = request_id if isinstance(request_id, str) else headers.get("x-request-id")
        self.details = cast("list[types.Violation]", details) if isinstance(details, list) else []
        self.retry_after = read_retry_after(headers.get("retry-after"))
        self.idempotency_key = idempotency_key
        self.attempts = attempts
        self.headers = headers
        self.body = body
        request = f" ({self.request_id})" if self.request_id else ""
        violations = [
            f"{one.get('path')}: {one.get('message')}" for one in self.details[:5] if isinstance(one, dict)
        ]
        super().__init__("\n  ".join([f"{self.code}: {self.message}{request}", *violations]))


class BadRequestError(ApiError):
    """400, 405, 413, 415: the request is not one that the operation takes."""


class AuthenticationError(ApiError):
    """401."""


class PaymentRequiredError(ApiError):
    """402: an order's payment was refused, or none came."""

    @property
    def payment_required(self) -> types.PaymentRequired | None:
        """x402's document of what to pay, where the answer is one."""
        if not isinstance(self.body, dict) or "accepts" not in self.body:
            return None
        # The service's own error stands in the place of x402's.
        document = {name: value for name, value in self.body.items() if name != "error"}
        return cast("types.PaymentRequired", document)


class PermissionDeniedError(ApiError):
    """403."""

    @property
    def spend_limit(self) -> types.PassedLimit | None:
        """Which limit of the API key the order would pass, where the code is `spend_limit_exceeded`."""
        error = self.body.get("error") if isinstance(self.body, dict) else None
        passed = error.get("spend_limit") if isinstance(error, dict) else None
        return cast("types.PassedLimit | None", passed if isinstance(passed, dict) else None)


class NotFoundError(ApiError):
    """404."""


class ConflictError(ApiError):
    """409."""


class PreconditionFailedError(ApiError):
    """412: somebody else changed it since."""


class UnprocessableError(ApiError):
    """422: a schema is violated, or an idempotency key stands for another request."""


class RateLimitError(ApiError):
    """429."""


class ServerError(ApiError):
    """5xx."""


_BY_STATUS: dict[int, type[ApiError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    402: PaymentRequiredError,
    403: PermissionDeniedError,
    404: NotFoundError,
    405: BadRequestError,
    409: ConflictError,
    412: PreconditionFailedError,
    413: BadRequestError,
    415: BadRequestError,
    422: UnprocessableError,
    429: RateLimitError,
}


def error_of(
    *, status: int, headers: httpx2.Headers, text: str, idempotency_key: str | None, attempts: int
) -> ApiError:
    """The error of an answer that is not good."""
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
    return kind(status=status, headers=headers, text=text, idempotency_key=idempotency_key, attempts=attempts)


def _parse_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
