"""The log of a service's receipts.

A result is valid, or has a code of `LOG_ERRORS`. A verifier raises for no input. `AsyncLogVerifier` is the same for asyncio.
docs/log.md of the repository says what the log proves.
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
    """Looks up receipts in the log of one issuer.

    Example:
        with LogVerifier("did:web:market.example") as log:
            found = log.look_up(document)
            print(found.index if found.valid else f"{found.outcome}: {found.code}")

    Args:
        issuer: The expected did:web name of the service that issued the receipts.
        vkey: The log's verifier key. Default: the key that the issuer's host publishes.
        timeout: The timeout of a response, in seconds.
        http: The client of httpx2 that sends the requests. You close it.

    Raises:
        ValueError: the issuer is not a did:web name
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
        """Looks up a receipt: fetches the proof and checks it.

        It does not verify the receipt's signature, as `Verifier.verify_receipt` does.

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
    """Looks up receipts in the log of one issuer. Its arguments and methods are those of `LogVerifier`, awaited."""

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
    """Checks offline that a receipt is in a log, and that the proof's entry has the hashes of the receipt's given parts."""
    try:
        return open_receipt_proof(proof, receipt, document, x402, vkey)
    except LogRejection as rejection:
        return rejection.to_failure()
    except Exception as error:
        return LogFailure("malformed", f"{type(error).__name__}: {error}")
