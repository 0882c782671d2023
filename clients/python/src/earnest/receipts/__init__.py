"""The verifier of receipts, offers and statements of agents' records. It reads the issuer's keys itself, and trusts no
receipt.

A result is valid, or has a code of `RECEIPT_ERRORS`. A verifier raises for no input. `AsyncVerifier` is the same for asyncio.
docs/receipts.md of the repository says what receipts prove.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, Sequence

import httpx2
from typing_extensions import Self

from .._core.driver import AsyncDriver, Driver
from .chain import ChainAnswer, ChainNode, confirm_flow
from .document import check_document
from .errors import RECEIPT_ERRORS, ReceiptFailure
from .execution import ExecutionFailure, ExecutionHeaders, VerifiedExecution, execution_flow
from .issuer import issuer_of
from .jws import check_offer, check_x402_receipt
from .key_log import KeyState, VerifiedKeyLog, check_key_log
from .keyset import Limits, Memo
from .many import check_many
from .record import check_record
from .result import (
    Settings,
    Verified,
    VerifiedDocument,
    VerifiedOffer,
    VerifiedRecordStatement,
    VerifiedX402Receipt,
    answer,
)
from .status import StatusPolicy, StatusReason

__all__ = [
    "RECEIPT_ERRORS",
    "AsyncVerifier",
    "ChainAnswer",
    "ChainNode",
    "ExecutionFailure",
    "ExecutionHeaders",
    "KeyState",
    "Limits",
    "ReceiptFailure",
    "StatusPolicy",
    "StatusReason",
    "Verified",
    "VerifiedDocument",
    "VerifiedExecution",
    "VerifiedKeyLog",
    "VerifiedOffer",
    "VerifiedRecordStatement",
    "VerifiedX402Receipt",
    "Verifier",
    "issuer_of",
]


class _Verifier:
    def __init__(
        self,
        issuer: str,
        *,
        status: StatusPolicy,
        now: datetime | None,
        limits: Limits | None,
        chain: ChainNode | None,
    ) -> None:
        self._settings = Settings(issuer, status, now, limits or Limits(), chain)

    def _expecting(self, expected: dict[str, Any]) -> Settings:
        return replace(self._settings, expected=expected)


class Verifier(_Verifier):
    """Verifies the receipts of one issuer.

    Example:
        with Verifier("did:web:market.example") as verifier:
            result = verifier.verify_receipt(text)
            print(result.claim if result.valid else result.code)

    Args:
        issuer: The expected did:web name of the issuer; `issuer_of(url)` returns it. The name in a receipt is not trusted.
        status: The use of the issuer's list of revoked receipts: `ask` reports an unavailable list, `require` fails
            without the list, `skip` does not read it.
        now: The time of the check. Default: the present.
        limits: The limits of the issuer's pages.
        chain: Used only if the signing key is compromised. An older document is then valid if the chain confirms it by
            an event of this `contract` before the compromise.
        http: The client of httpx2 that sends the requests. You close it.
    """

    def __init__(
        self,
        issuer: str,
        *,
        status: StatusPolicy = "ask",
        now: datetime | None = None,
        limits: Limits | None = None,
        chain: ChainNode | None = None,
        http: httpx2.Client | None = None,
    ) -> None:
        super().__init__(issuer, status=status, now=now, limits=limits, chain=chain)
        self._driver = Driver(http)

    def verify_receipt(self, document: Any) -> VerifiedDocument | ReceiptFailure:
        """Verifies a settlement document: its exact form, its proof, the expected issuer's key at the time of signing,
        and its revocation. Pass the received text, so that duplicate members are found."""
        return self._driver.run(answer(check_document(document, self._settings)))

    def verify_x402_receipt(self, jws: Any, **expected: Any) -> VerifiedX402Receipt | ReceiptFailure:
        """Verifies an x402 receipt: a compact JWS, or x402's `{"format": "jws", "signature": ...}`. It states that a
        resource was paid and delivered. `expected` values, such as `payer=...`, must be the signed ones."""
        return self._driver.run(answer(check_x402_receipt(jws, self._expecting(expected))))

    def verify_offer(self, jws: Any, **expected: Any) -> VerifiedOffer | ReceiptFailure:
        """Verifies an x402 offer and its validity. It has no time of signing, so its key must be valid now."""
        return self._driver.run(answer(check_offer(jws, self._expecting(expected))))

    def verify_receipts(self, receipts: Sequence[Any]) -> list[Verified | ReceiptFailure]:
        """Verifies many documents and x402 receipts in any order. The issuer's keys and its list are fetched once."""
        return self._driver.run(check_many(receipts, self._settings))

    def verify_record_statement(
        self, statement: Any, *, agent: str | None = None
    ) -> VerifiedRecordStatement | ReceiptFailure:
        """Verifies a statement of an agent's record: its exact form and its proof. The key has to be the issuer's,
        valid at the time of signing and not compromised, and the statement has to be unexpired. A statement is not a
        receipt.

        Args:
            statement: The received text if there is one, so that duplicate members are found.
            agent: The id or slug of the expected agent. Default: any agent.
        """
        return self._driver.run(answer(check_record(statement, self._settings, agent)))

    def verify_key_log(self, log: Any = None, *, pin: str | None = None) -> VerifiedKeyLog | ReceiptFailure:
        """Verifies the issuer's key log. Each entry follows the previous one and is signed by the right key. The keys
        of the DID document are those at the log's end. With a pin, the log was only extended.

        Args:
            log: The log's text; None to fetch it from the URL in the DID document.
            pin: The `head` of an earlier check.
        """
        return self._driver.run(answer(check_key_log(log, self._settings, pin)))

    def verify_execution(
        self,
        method: str,
        headers: ExecutionHeaders,
        body: bytes | str,
        *,
        endpoint: str,
        agent: str | Sequence[str],
    ) -> VerifiedExecution | ExecutionFailure:
        """Verifies that a request to your endpoint comes from the service. Its RFC 9421 signature covers method,
        endpoint, body and `Idempotency-Key`. It is at most five minutes old, by an `authentication` key of the issuer,
        and for an order of your own agent. The keys are fetched each time.

        Args:
            body: The received bytes. Parsed and rewritten JSON has another digest.
            endpoint: The endpoint exactly as the service shows it to you.
            agent: The id of your agent, or the ids of all agents whose orders are executed there.
        """
        return self._driver.run(
            execution_flow(self._settings, Memo(), method, headers, body, endpoint, agent)
        )

    def confirm_on_chain(self, result: VerifiedDocument, node: ChainNode) -> ChainAnswer:
        """Checks that the event of a verified document is on the chain: chain, transaction, block, log, contract,
        event, escrow, agreement, parties, token, amount and depth. The result is only as trustworthy as the node."""
        return self._driver.run(confirm_flow(result.document, node))

    def close(self) -> None:
        """Closes the connections."""
        self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncVerifier(_Verifier):
    """Verifies the receipts of one issuer. Its arguments and methods are those of `Verifier`, awaited."""

    def __init__(
        self,
        issuer: str,
        *,
        status: StatusPolicy = "ask",
        now: datetime | None = None,
        limits: Limits | None = None,
        chain: ChainNode | None = None,
        http: httpx2.AsyncClient | None = None,
    ) -> None:
        super().__init__(issuer, status=status, now=now, limits=limits, chain=chain)
        self._driver = AsyncDriver(http)

    async def verify_receipt(self, document: Any) -> VerifiedDocument | ReceiptFailure:
        return await self._driver.run(answer(check_document(document, self._settings)))

    async def verify_x402_receipt(self, jws: Any, **expected: Any) -> VerifiedX402Receipt | ReceiptFailure:
        return await self._driver.run(answer(check_x402_receipt(jws, self._expecting(expected))))

    async def verify_offer(self, jws: Any, **expected: Any) -> VerifiedOffer | ReceiptFailure:
        return await self._driver.run(answer(check_offer(jws, self._expecting(expected))))

    async def verify_receipts(self, receipts: Sequence[Any]) -> list[Verified | ReceiptFailure]:
        return await self._driver.run(check_many(receipts, self._settings))

    async def verify_record_statement(
        self, statement: Any, *, agent: str | None = None
    ) -> VerifiedRecordStatement | ReceiptFailure:
        return await self._driver.run(answer(check_record(statement, self._settings, agent)))

    async def verify_key_log(
        self, log: Any = None, *, pin: str | None = None
    ) -> VerifiedKeyLog | ReceiptFailure:
        return await self._driver.run(answer(check_key_log(log, self._settings, pin)))

    async def verify_execution(
        self,
        method: str,
        headers: ExecutionHeaders,
        body: bytes | str,
        *,
        endpoint: str,
        agent: str | Sequence[str],
    ) -> VerifiedExecution | ExecutionFailure:
        return await self._driver.run(
            execution_flow(self._settings, Memo(), method, headers, body, endpoint, agent)
        )

    async def confirm_on_chain(self, result: VerifiedDocument, node: ChainNode) -> ChainAnswer:
        return await self._driver.run(confirm_flow(result.document, node))

    async def close(self) -> None:
        """Closes the connections."""
        await self._driver.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
