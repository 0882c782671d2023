"""The verifier of receipts, offers and statements of agents' records. It trusts nothing of a receipt, and asks for the issuer's keys itself.

A result is valid, or carries a code of `RECEIPT_ERRORS`; no input makes a verifier raise. `AsyncVerifier` is the same, awaited.
docs/receipts.md of the repository tells what receipts prove, and what they do not.
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
    """Checks the receipts of one issuer.

    Example:
        with Verifier("did:web:market.example") as verifier:
            result = verifier.verify_receipt(text)
            print(result.claim if result.valid else result.code)

    Args:
        issuer: The did:web name that receipts must come from; `issuer_of(url)` writes it. It is yours to know: a receipt's own
            word for it is not trusted.
        status: Whether to look at the issuer's list of revoked receipts: `ask` asks and says when it could not, `require` makes
            a list that cannot be had a failure, `skip` does not ask.
        now: The time of the check. Default: the present.
        limits: Of the issuer's pages.
        chain: Asked only where the signing key is compromised: a document that says it is older is good if the chain agrees
            with it, in an event of this `contract` from before the key was compromised.
        http: A client of httpx2 to ask by; it is yours to close.
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
        """Checks a settlement document: its exact shape, its proof, that the key is the issuer's and was valid at the time of
        signing, and that the issuer did not take it back. Give the text where there is one, so that doubled members are seen."""
        return self._driver.run(answer(check_document(document, self._settings)))

    def verify_x402_receipt(self, jws: Any, **expected: Any) -> VerifiedX402Receipt | ReceiptFailure:
        """Checks an x402 receipt: a compact JWS, or x402's `{"format": "jws", "signature": ...}`, that says that a resource was
        paid for and delivered. What is `expected`, as in `payer=...`, must be what was signed."""
        return self._driver.run(answer(check_x402_receipt(jws, self._expecting(expected))))

    def verify_offer(self, jws: Any, **expected: Any) -> VerifiedOffer | ReceiptFailure:
        """Checks an x402 offer and that it still stands. It carries no time of signing: its key must be valid now."""
        return self._driver.run(answer(check_offer(jws, self._expecting(expected))))

    def verify_receipts(self, receipts: Sequence[Any]) -> list[Verified | ReceiptFailure]:
        """Checks many, documents and x402 receipts in any order; the issuer's keys and its list are fetched once."""
        return self._driver.run(check_many(receipts, self._settings))

    def verify_record_statement(
        self, statement: Any, *, agent: str | None = None
    ) -> VerifiedRecordStatement | ReceiptFailure:
        """Checks a statement of an agent's record: its exact shape, its proof, that the key is the issuer's, was valid at the time
        of signing and is in nobody else's hands, and that the statement still stands. It is no receipt, and no receipt is one.

        Args:
            statement: Its text where there is one, so that doubled members are seen.
            agent: The id or slug of the record's agent. Default: any agent.
        """
        return self._driver.run(answer(check_record(statement, self._settings, agent)))

    def verify_key_log(self, log: Any = None, *, pin: str | None = None) -> VerifiedKeyLog | ReceiptFailure:
        """Checks the issuer's key log: that each entry follows the one before it and is signed by the key that had to, that the
        keys of its DID document are those at the log's end, and with a pin, that history was only added to.

        Args:
            log: Its text; None to have it fetched from where the DID document says.
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
        """Checks that a request to your endpoint comes from the service: its RFC 9421 signature covers method, endpoint, body
        and `Idempotency-Key`, was made within five minutes by a key that is listed for `authentication`, and is for an order of
        your own agent. The keys are fetched each time.

        Args:
            body: The bytes as they came: JSON that was parsed and written again has another digest.
            endpoint: The endpoint exactly as the service shows it to you.
            agent: The id of your agent, or of all whose orders are executed there.
        """
        return self._driver.run(
            execution_flow(self._settings, Memo(), method, headers, body, endpoint, agent)
        )

    def confirm_on_chain(self, result: VerifiedDocument, node: ChainNode) -> ChainAnswer:
        """Asks a chain whether the event that a verified document names is there: chain, transaction, block, log, contract,
        event, escrow, agreement, parties, token, amount and depth. The answer is as honest as the node that gives it."""
        return self._driver.run(confirm_flow(result.document, node))

    def close(self) -> None:
        """Closes the connections."""
        self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncVerifier(_Verifier):
    """Checks the receipts of one issuer. Its arguments and methods are those of `Verifier`, awaited."""

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
