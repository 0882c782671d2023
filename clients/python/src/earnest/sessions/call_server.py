"""The endpoint of a provider's sessions, for any server of WSGI or ASGI."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Awaitable, Callable, Iterable, Mapping, MutableMapping

import anyio
import anyio.from_thread
import anyio.to_thread

from ..serving import DeclinedError
from ..settlement import close_data
from ..settlement.typed_hash import hash_typed_data
from .call_refusal import CallRefusal, Reply
from .provider_session import Output, ProviderSession
from .rules import CLOSE_HEADER, SESSION_HEADER, VOUCHER_HEADER, read_close_request, read_voucher

_ESCROW = re.compile(r"0x[0-9a-f]{64}")
_JSON = re.compile(r"application/([a-z.+-]+\+)?json\s*(;|$)", re.IGNORECASE)


@dataclass(frozen=True)
class CallContext:
    """The call that a handler works on."""

    order_id: str
    call_id: str
    """The call's own name, the same when it is sent again. A handler that a crash interrupted is called again with it."""
    buyer: str
    body: bytes
    content_type: str


CallHandler = Callable[[Any, CallContext], Any]
"""Does the work of a call. A JSON input is parsed, another input is its bytes. An output of bytes is sent as it is, any other
as JSON. A call whose handler raises is not paid for; the message of a `DeclinedError` goes to the buyer."""


@dataclass(frozen=True)
class CallLimits:
    max_input: int = 1024 * 1024
    """The most bytes of an input."""
    max_output: int = 1024 * 1024
    """The most bytes of an output, which is stored until the next one."""
    input_timeout: float = 30.0
    """The most seconds until an input has arrived, under ASGI. A WSGI server has its own."""
    max_requests: int = 1000
    """The most requests at once."""


class CallServer:
    """Answers calls and close requests."""

    def __init__(
        self,
        handler: CallHandler,
        limits: CallLimits,
        *,
        find: Callable[[str], ProviderSession | None],
        on_unknown: Callable[[], None],
        last_call_at: Callable[[ProviderSession], float],
        on_close: Callable[[ProviderSession], None],
        on_error: Callable[[Exception, str], None],
    ) -> None:
        self._handler, self._limits, self._find = handler, limits, find
        self._on_unknown, self._last_call_at = on_unknown, last_call_at
        self._on_close, self._on_error = on_close, on_error
        self._turn = threading.Lock()
        self._requests = 0
        self._limiter: anyio.CapacityLimiter | None = None

    def answer(self, headers: Mapping[str, str], read: Callable[[int], bytes]) -> Reply:
        """Answers a request of any server.

        Args:
            headers: the headers by their names in lower case
            read: reads the body; it gets the most bytes, and may return one more
        """
        order_id = ""
        with self._turn:
            self._requests += 1
        try:
            if self._requests > self._limits.max_requests:
                raise CallRefusal("busy", "Too many calls are at work. Send the call again.")
            session = self._find_session(headers)
            order_id = session.terms.order_id
            close = headers.get(CLOSE_HEADER, "")
            return self._close(session, close) if close else self._call(session, headers, read)
        except CallRefusal as refusal:
            if isinstance(refusal.__cause__, Exception) and refusal.code in ("handler_failed", "busy"):
                self._on_error(refusal.__cause__, order_id)
            return refusal.reply()
        except Exception as error:
            self._on_error(error, order_id)
            return CallRefusal("handler_failed", "The call failed. It is not paid for.").reply()
        finally:
            with self._turn:
                self._requests -= 1

    def wsgi(self, environ: Mapping[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """A WSGI application."""
        names = (SESSION_HEADER, VOUCHER_HEADER, CLOSE_HEADER)
        headers = {name: environ.get(f"HTTP_{name.upper().replace('-', '_')}", "") for name in names}
        headers["content-type"] = environ.get("CONTENT_TYPE", "")
        length = environ.get("CONTENT_LENGTH", "")

        def read(limit: int) -> bytes:
            size = min(int(length), limit + 1) if length.isdecimal() else limit + 1
            body: bytes = environ["wsgi.input"].read(size)
            if length.isdecimal() and len(body) < size:
                raise CallRefusal("input_too_slow", "The input did not arrive in time.")
            return body

        reply = self.answer(headers, read)
        # A server of WSGI manages the connection by itself.
        sent = [(name, value) for name, value in reply.headers.items() if name != "connection"]
        sent.append(("content-length", str(len(reply.body))))
        start_response(f"{reply.status} {HTTPStatus(reply.status).phrase}", sent)
        return [reply.body]

    async def asgi(
        self,
        scope: MutableMapping[str, Any],
        receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
        send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ) -> None:
        """An ASGI application. The handler runs in a thread."""
        if scope["type"] != "http":
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }

        def read(limit: int) -> bytes:
            return anyio.from_thread.run(self._receive, receive, limit)

        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(self._limits.max_requests + 1)
        reply = await anyio.to_thread.run_sync(lambda: self.answer(headers, read), limiter=self._limiter)
        sent = [(name.encode(), value.encode()) for name, value in reply.headers.items()]
        sent.append((b"content-length", str(len(reply.body)).encode()))
        await send({"type": "http.response.start", "status": reply.status, "headers": sent})
        await send({"type": "http.response.body", "body": reply.body})

    async def _receive(self, receive: Callable[[], Awaitable[MutableMapping[str, Any]]], limit: int) -> bytes:
        """Reads a body, and at most one byte above the limit."""
        body, more = b"", True
        try:
            with anyio.fail_after(self._limits.input_timeout):
                while more and len(body) <= limit:
                    message = await receive()
                    more = message["type"] == "http.request" and message.get("more_body", False)
                    body += message.get("body", b"")
        except TimeoutError as error:
            raise CallRefusal("input_too_slow", "The input did not arrive in time.") from error
        return body[: limit + 1]

    def _find_session(self, headers: Mapping[str, str]) -> ProviderSession:
        escrow_id = headers.get(SESSION_HEADER, "")
        if not _ESCROW.fullmatch(escrow_id):
            raise CallRefusal("malformed", f"Header {SESSION_HEADER}: send the escrow's id in lower case.")
        session = self._find(escrow_id)
        if session is None:
            self._on_unknown()
            raise CallRefusal("unknown_session", "The session is not known here, not funded yet, or over.")
        return session

    def _call(
        self, session: ProviderSession, headers: Mapping[str, str], read: Callable[[int], bytes]
    ) -> Reply:
        voucher = read_voucher(headers.get(VOUCHER_HEADER, ""))
        if voucher is None:
            message = f"Header {VOUCHER_HEADER}: send amount;work hash;signature, in lower case."
            raise CallRefusal("malformed", message)
        kind = headers.get("content-type") or "application/octet-stream"
        most = self._limits.max_input

        def read_input() -> bytes:
            body = read(most)
            if len(body) > most:
                raise CallRefusal("input_too_large", f"The input has more than {most} bytes.")
            return body

        def work(body: bytes) -> Output:
            return self._work(session, body, kind, voucher.work_hash)

        return session.answer(voucher, read_input, work, self._last_call_at(session))

    def _work(self, session: ProviderSession, body: bytes, kind: str, call_id: str) -> Output:
        given: Any = body
        if _JSON.match(kind):
            try:
                given = json.loads(body)
            except ValueError as error:
                message = "The input is not JSON, as its Content-Type says."
                raise CallRefusal("malformed", message) from error
        terms = session.terms
        try:
            context = CallContext(terms.order_id, call_id, terms.escrow.terms.buyer, body, kind)
            output = self._handler(given, context)
            is_bytes = isinstance(output, (bytes, bytearray, memoryview))
            written = bytes(output) if is_bytes else json.dumps(output).encode()
        except Exception as error:
            message = str(error) if isinstance(error, DeclinedError) else "The handler failed."
            raise CallRefusal("handler_failed", f"{message} The call is not paid for.") from error
        if len(written) > self._limits.max_output:
            message = "The output is too large. The call is not paid for."
            most = self._limits.max_output
            raise CallRefusal("handler_failed", message) from ValueError(
                f"The output has more than {most} bytes."
            )
        return Output(written, "application/octet-stream" if is_bytes else "application/json")

    def _close(self, session: ProviderSession, header: str) -> Reply:
        request = read_close_request(header)
        if request is None:
            message = f"Header {CLOSE_HEADER}: send amount;deadline;signature, in lower case."
            raise CallRefusal("malformed", message)
        amount, deadline, escrow = request.provider_amount, request.deadline, session.terms.escrow
        digest = hash_typed_data(close_data(escrow, provider_amount=amount, deadline=deadline))
        if not session.has_signed(digest, request.signature):
            message = f"The close request is not signed by the key of {escrow.terms.buyer}."
            raise CallRefusal("wrong_signature", message)
        if amount != session.earned or session.is_busy:
            raise CallRefusal(
                "wrong_amount",
                f"The amount of all calls is {session.earned} base units.",
                expected_amount=str(session.earned),
                newest=session.newest_facts(),
            )
        session.close(request)
        self._on_close(session)
        body = json.dumps({"status": "closing", "amount": str(amount)}).encode()
        return Reply(202, {"content-type": "application/json"}, body)
