"""Sends calls to a provider's endpoint until they have a definite answer."""

from __future__ import annotations

import base64
import json
import random
import time
from dataclasses import dataclass
from typing import Any, Mapping

import httpx2
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ..buying.agreed import AgreedOrder
from .errors import CallRefusedError, CallUnansweredError, UntrustedSessionError
from .public_transport import PrivateAddressError
from .rules import PASSING, SESSION_HEADER, STATEMENT_HEADER, CallVoucher, hash_of, statement_of

_MOST_OUTPUT = 8 * 1024 * 1024
_ATTEMPT = 60.0


@dataclass(frozen=True)
class CallAnswer:
    """The answer of a call."""

    output: Any
    """The parsed output if it is JSON, otherwise its bytes."""
    body: bytes
    content_type: str
    spent: int
    """The base units that all calls of the session cost so far."""
    work_hash: str
    statement: str
    """The provider's signature over amount, call and output, by the session's key."""


class CallSender:
    """Sends the calls of one session, each until it is answered or refused."""

    def __init__(self, agreed: AgreedOrder, http: httpx2.Client, timeout: float) -> None:
        """
        Args:
            timeout: the most seconds until a call is answered, over all attempts
        """
        self._order_id, self._http, self._timeout = agreed.order_id, http, timeout
        self._escrow_id = agreed.escrow.escrow_id.lower()
        self._url = str(agreed.agreement["endpoint_url"])
        key = base64.urlsafe_b64decode(str(agreed.agreement["session_key"]) + "=")
        self._key = Ed25519PublicKey.from_public_bytes(key)

    def send(self, amount: int, work: str, headers: Mapping[str, str], body: bytes) -> CallAnswer:
        end = time.monotonic() + self._timeout
        wait = 0.1
        while True:
            try:
                result = self._send_once(amount, work, headers, body, max(0.1, end - time.monotonic()))
                if not isinstance(result, str):
                    return result
            except PrivateAddressError as error:
                raise CallUnansweredError(self._order_id, str(error)) from error
            except httpx2.HTTPError as error:
                result = f"the endpoint cannot be reached ({type(error).__name__})"
            if time.monotonic() + wait > end:
                raise CallUnansweredError(self._order_id, result)
            time.sleep(wait * random.uniform(0.5, 1))
            wait = min(2 * wait, 5.0)

    def _send_once(
        self, amount: int, work: str, headers: Mapping[str, str], body: bytes, within: float
    ) -> CallAnswer | str:
        """Sends a call once. A text is the reason for which the same call has to be sent again."""
        sent = {**headers, SESSION_HEADER: self._escrow_id}
        limit = min(_ATTEMPT, within)
        with self._http.stream("POST", self._url, headers=sent, content=body, timeout=limit) as response:
            output = b""
            for chunk in response.iter_bytes():
                output += chunk
                if len(output) > _MOST_OUTPUT:
                    raise UntrustedSessionError(
                        self._order_id, f"The output has more than {_MOST_OUTPUT} bytes."
                    )
        if response.status_code not in (200, 202):
            return self._refuse(response.status_code, output)
        kind = response.headers.get("content-type", "application/octet-stream")
        statement = response.headers.get(STATEMENT_HEADER, "")
        if response.status_code == 200:
            self._verify(statement, statement_of(self._escrow_id, amount, work, hash_of(output)))
        is_json = kind.split(";")[0].strip().lower().endswith("json")
        return CallAnswer(json.loads(output) if is_json else output, output, kind, amount, work, statement)

    def _verify(self, statement: str, text: bytes) -> None:
        try:
            self._key.verify(base64.urlsafe_b64decode(statement + "=" * (-len(statement) % 4)), text)
        except (InvalidSignature, ValueError) as error:
            raise UntrustedSessionError(
                self._order_id, "The answer is not signed by the session's key."
            ) from error

    def _refuse(self, status: int, output: bytes) -> str:
        """Raises a refusal. Returns the reason if the same call is sent again, or if a proxy answered."""
        try:
            error = json.loads(output)["error"]
            code, message = str(error["code"]), str(error["message"])[:500]
        except (ValueError, KeyError, TypeError):
            return f"the status {status}"
        if code in PASSING:
            return code
        if code == "wrong_amount":
            raise WrongAmount(self._order_id, code, status, message, _read_newest(error.get("newest")))
        raise CallRefusedError(self._order_id, code, status, message)


class WrongAmount(CallRefusedError):
    """The provider counts another amount. It shows its newest answered voucher."""

    def __init__(
        self, order_id: str, code: str, status: int, message: str, newest: CallVoucher | None
    ) -> None:
        super().__init__(order_id, code, status, message)
        self.newest = newest


def _read_newest(value: Any) -> CallVoucher | None:
    try:
        return CallVoucher(int(value["cumulative_amount"]), str(value["work_hash"]), str(value["signature"]))
    except (KeyError, TypeError, ValueError):
        return None
