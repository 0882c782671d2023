"""The log of a service's receipts: whether a receipt is in it.

A result is valid, or carries a code of `LOG_ERRORS`; no input makes a verifier raise. `AsyncLogVerifier` is the same, awaited.
docs/log.md of the repository tells what the log proves, and what it does not.
"""

from __future__ import annotations

from typing import Any, Mapping

import httpx2
from typing_extensions import Self

from .._core.driver import AsyncDriver, Driver
from .entry import VerifiedEntry, open_receipt_proof
from .errors import LOG_ERRORS, LogFailure, LogRejection
from .lookup import LogLookup, LogSettings, look_up, settings_of
from .note import Checkpoint

__all__ = [
    "LOG_ERRORS",
    "AsyncLogVerifier",
    "Checkpoint",
    "LogFailure",
    "LogLookup",
    "LogRejection",
    "LogVerifier",
    "VerifiedEntry",
    "verify_receipt_proof",
]


class LogVerifier:
    """Looks receipts up in the log of one issuer.

    Example:
        with LogVerifier("did:web:market.example") as log:
            found = log.look_up(document)
            print(found.index if found.valid else f"{found.outcome}: {found.code}")

    Args:
        issuer: The did:web name of the service that issued the receipts, as you know it.
        vkey: The log's verifier key. Without it, the key is what the issuer's host says it is.
        timeout: For each answer, in seconds.
        http: A client of httpx2 to ask by; it is yours to close.

    Raises:
        ValueError: the issuer is no did:web name
    """

    def __init__(
        self,
        issuer: str,
        *,
        vkey: str | None = None,
        timeout: float = 5.0,
        http: httpx2.Client | None = None,
    ) -> None:
        self._settings: LogSettings = settings_of(issuer, vkey, timeout)
        self._driver = Driver(http)

    def look_up(
        self, document: Any = None, *, jws: Any = None, receipt: str | None = None
    ) -> LogLookup | LogFailure:
        """Looks a receipt up: fetches the proof and checks it.

        It says nothing of whether the receipt is signed well: `Verifier.verify_receipt` does.

        Args:
            document: The signed settlement document, as text or parsed.
            jws: The x402 receipt.
            receipt: The id, `rcp_...`. Default: the id in the document.
        """
        return self._driver.run(look_up(document, jws, receipt, self._settings))

    def close(self) -> None:
        """Closes the connections."""
        self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncLogVerifier:
    """Looks receipts up in the log of one issuer. Its arguments and methods are those of `LogVerifier`, awaited."""

    def __init__(
        self,
        issuer: str,
        *,
        vkey: str | None = None,
        timeout: float = 5.0,
        http: httpx2.AsyncClient | None = None,
    ) -> None:
        self._settings: LogSettings = settings_of(issuer, vkey, timeout)
        self._driver = AsyncDriver(http)

    async def look_up(
        self, document: Any = None, *, jws: Any = None, receipt: str | None = None
    ) -> LogLookup | LogFailure:
        return await self._driver.run(look_up(document, jws, receipt, self._settings))

    async def close(self) -> None:
        """Closes the connections."""
        await self._driver.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def verify_receipt_proof(
    proof: str | bytes,
    *,
    receipt: str | None = None,
    document: Mapping[str, Any] | None = None,
    x402: str | None = None,
    vkey: str | None = None,
) -> VerifiedEntry | LogFailure:
    """Checks offline that a receipt is in a log: that the proof's entry has the hashes of what is held of it."""
    try:
        return open_receipt_proof(proof, receipt, document, x402, vkey)
    except LogRejection as rejection:
        return rejection.to_failure()
    except Exception as error:
        return LogFailure("malformed", f"{type(error).__name__}: {error}")
