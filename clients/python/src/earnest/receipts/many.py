"""The check of many receipts of both kinds. The issuer's keys and its list are fetched once."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from .._core.flow import Flow
from .document import check_document
from .errors import ReceiptFailure
from .jws import check_x402_receipt
from .keyset import Memo
from .result import Settings, Verified, answer


def check_many(receipts: Sequence[Any], settings: Settings) -> Flow[list[Verified | ReceiptFailure]]:
    memo = Memo()
    answers: list[Verified | ReceiptFailure] = []
    for receipt in receipts:
        check: Callable[..., Flow[Verified]] = check_x402_receipt if is_jws(receipt) else check_document
        answers.append((yield from answer(check(receipt, settings, memo))))
    return answers


def is_jws(receipt: Any) -> bool:
    """Whether the input is read as a JWS instead of a document."""
    if isinstance(receipt, str):
        return not receipt.lstrip().startswith("{")
    return isinstance(receipt, Mapping) and "signature" in receipt
