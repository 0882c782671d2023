"""The errors of this package, except invalid arguments, which are a TypeError or ValueError."""

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
    """The service's data differs from the agreement or the request. Nothing was signed or sent."""


class UntrustedTextError(UntrustedError):
    """The service's message to sign is not as expected. Nothing was signed."""


class ConnectionError(EarnestError):
    """The connection failed before a complete response.

    A write may have taken effect: repeat it with `idempotency_key` to get its result.
    """

    idempotency_key: str | None
    attempts: int
    """The number of attempts."""

    def __init__(self, message: str, *, idempotency_key: str | None = None, attempts: int = 1) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key
        self.attempts = attempts


class TimeoutError(ConnectionError):
    """No complete response came within `timeout`."""


REVERT = 3
"""The code of a node's error for a call that reverts."""


class NodeError(EarnestError):
    """A node of the chain did not respond, or refused."""

    def __init__(self, method: str, reason: str, code: int | None = None) -> None:
        super().__init__(f"The chain's node, asked for {method}: {reason}.")
        self.method = method
        self.reason = reason
        self.code = code
        """The JSON-RPC code of the refusal; None without a response."""

    @property
    def reverted(self) -> bool:
        """Whether a contract reverted the call."""
        return self.code == REVERT or (self.code is not None and "revert" in self.reason.lower())


class TransactionError(EarnestError):
    """The chain refused the wallet's transaction, or it is not mined yet. `hash` is its hash."""

    def __init__(self, call: str, hash: str, reason: str) -> None:
        super().__init__(f"The transaction of {call} {reason}: {hash}.")
        self.hash = hash


class ApiError(EarnestError):
    """An error response of the service. `code` is stable: branch on it, or on the class."""

    status: int
    code: str
    """One of `earnest.error_codes`, which may grow. `unknown` means that a proxy answered."""
    message: str
    request_id: str | None
    """Include it in reports."""
    details: list[types.Violation]
    """The violations, each with a JSON pointer; empty if there are none."""
    retry_after: float | None
    """The seconds of the header `Retry-After`, at most 366 days; None without the header."""
    idempotency_key: str | None
    attempts: int
    headers: httpx2.Headers
    body: Any
    """The body, parsed if it is JSON."""

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
        reason = error if isinstance(error, str) else f"The response has the status {status}"
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
    """400, 405, 413 or 415: the request is invalid."""


class AuthenticationError(ApiError):
    """401."""


class PaymentRequiredError(ApiError):
    """402: the payment of an order was refused or is missing."""

    @property
    def payment_required(self) -> types.PaymentRequired | None:
        """The x402 payment requirements, if the response has them."""
        if not isinstance(self.body, dict) or "accepts" not in self.body:
            return None
        # `error` is the service's error object, not the x402 member of this name.
        document = {name: value for name, value in self.body.items() if name != "error"}
        return cast("types.PaymentRequired", document)


class PermissionDeniedError(ApiError):
    """403."""

    @property
    def spend_limit(self) -> types.PassedLimit | None:
        """The limit of the API key that the order exceeds, if the code is `spend_limit_exceeded`."""
        error = self.body.get("error") if isinstance(self.body, dict) else None
        passed = error.get("spend_limit") if isinstance(error, dict) else None
        return cast("types.PassedLimit | None", passed if isinstance(passed, dict) else None)


class NotFoundError(ApiError):
    """404."""


class ConflictError(ApiError):
    """409."""


class PreconditionFailedError(ApiError):
    """412: the resource was changed in the meantime."""


class UnprocessableError(ApiError):
    """422: a schema is violated, or the idempotency key belongs to another request."""


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
    """Builds the error of an error response."""
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
    return kind(status=status, headers=headers, text=text, idempotency_key=idempotency_key, attempts=attempts)


def _parse_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
