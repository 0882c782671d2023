"""The lookup of a receipt in its issuer's log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._core.flow import Flow, HttpAnswer, NoAnswer, Send
from ..receipts.issuer import locate_issuer
from .entry import MOST_PROOF, VerifiedEntry, id_of, open_receipt_proof, read_parts
from .errors import LogFailure, LogRejection
from .note import MOST_NOTE, parse_verifier_key


@dataclass(frozen=True)
class LogSettings:
    """The options of a lookup."""

    issuer: str
    base_url: str
    vkey: str | None
    timeout: float


@dataclass(frozen=True)
class LogLookup(VerifiedEntry):
    """A receipt that is in its issuer's log."""

    pinned: bool = False
    """Whether the caller gave the log's key. Otherwise the issuer's host has published it."""


def settings_of(issuer: str, vkey: str | None, timeout: float) -> LogSettings:
    """Raises ValueError for an issuer that is not a did:web name in its normal form."""
    location = locate_issuer(issuer)
    if location is None:
        raise ValueError(f"{issuer} is not a did:web name: give it as in did:web:example.com.")
    return LogSettings(issuer, location.base_url, vkey, timeout)


def look_up(
    document: Any, jws: Any, receipt: str | None, settings: LogSettings
) -> Flow[LogLookup | LogFailure]:
    try:
        return (yield from _look_up(document, jws, receipt, settings))
    except LogRejection as rejection:
        return rejection.to_failure()


def _look_up(document: Any, jws: Any, receipt: str | None, settings: LogSettings) -> Flow[LogLookup]:
    held, x402 = read_parts(document, jws)
    receipt = receipt or id_of(held)
    if receipt is None:
        raise LogRejection("no_receipt_id")
    prefix = f"{settings.base_url}/log"
    vkey = settings.vkey
    if vkey is None:
        vkey = yield from _fetch_key(prefix, settings.timeout)
    address = f"{prefix}/proofs/{receipt}"
    answer = yield from _fetch(address, MOST_PROOF, settings.timeout)
    if answer.status == 404:
        raise LogRejection("not_logged")
    if answer.status != 200:
        raise LogRejection("log_unavailable", f"It answers {answer.status}.")
    found = open_receipt_proof(answer.body, receipt, held, x402, vkey)
    return LogLookup(found.entry, found.index, found.checkpoint, pinned=settings.vkey is not None)


def _fetch_key(prefix: str, timeout: float) -> Flow[str]:
    """Returns the log's key that the issuer's host publishes. It must be of this issuer's log."""
    answer = yield from _fetch(f"{prefix}/vkey", MOST_NOTE, timeout)
    if answer.status == 404:
        raise LogRejection("not_logged", "The issuer has no log.")
    if answer.status != 200:
        raise LogRejection("log_unavailable", f"It answers {answer.status}.")
    try:
        vkey = answer.body.decode().rstrip()
    except UnicodeDecodeError:
        raise LogRejection("malformed", "It is not UTF-8.") from None
    name = parse_verifier_key(vkey).name
    if name != prefix.partition("://")[2]:
        raise LogRejection("foreign_origin", f"It is {name!r}.")
    return vkey


def _fetch(url: str, most: int, timeout: float) -> Flow[HttpAnswer]:
    try:
        answer: HttpAnswer = yield Send(verb="GET", url=url, headers={}, timeout=timeout, max_bytes=most)
    except NoAnswer as error:
        raise LogRejection("log_unavailable", f"{url}: {error.reason}.") from error
    return answer
