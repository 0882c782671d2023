from __future__ import annotations

import json
import logging
import re
import secrets
import time
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Awaitable, Callable, Generic, Mapping, NoReturn, Union
from urllib.parse import urlsplit

import httpx2
from typing_extensions import TypeAlias

from ..errors import ApiError, ConnectionError, TimeoutError, error_of
from .call import Call, RawResponse, RequestOptions
from .flow import Effect, Flow, HttpAnswer, NoAnswer, Open, OpenAnswer, Run, Send, T, Wait
from .hooks import RequestReport, ResponseReport, RetryReport
from .request import API_PATH, ClientOptions, write_request
from .retry import wait_before_retry

logger = logging.getLogger("earnest")

Token: TypeAlias = Union[str, Callable[[], Union[str, Awaitable[str]]]]
"""A token, or a function that returns one for each request. In an async client, it may be awaitable."""

captured: ContextVar[list[RawResponse] | None] = ContextVar("earnest_responses", default=None)
"""The responses of the calls in `with_response`."""


class WithResponse(Generic[T]):
    """A response: the parsed value and the raw response."""

    def __init__(self, data: T, response: RawResponse) -> None:
        self.data = data
        self.response = response


class Core:
    """Sends calls as flows: authentication, retries under one idempotency key, timeouts, errors."""

    root: str
    """The service's URL without a trailing slash."""
    base_url: str
    """The service's URL with `/api/v1`."""
    token: Token | None
    feed_end: str | None = None
    """A recent cursor at the end of the feed, at which a wait starts."""

    def __init__(self, base_url: str, *, token: Token | None, options: ClientOptions) -> None:
        url = urlsplit(base_url)
        good = url.scheme in ("http", "https") and url.hostname and not url.query and not url.fragment
        if not good or url.username is not None:
            raise ValueError("base_url has to be an http or https URL without user, query or fragment.")
        path = url.path.rstrip("/")
        self.host = _host_of(url.scheme, url.hostname or "", url.port)
        self.origin = f"{url.scheme}://{self.host}"
        self.root = self.origin + path.removesuffix(API_PATH)
        self.base_url = f"{self.root}{API_PATH}"
        self.token = token
        self.options = options

    def with_token(self, token: Token | None) -> Core:
        """Returns a core of the same service with another token, for the token's own account."""
        return Core(self.root, token=token, options=replace(self.options, organisation=None))

    def send(self, call: Call[T], options: RequestOptions | None) -> Flow[T]:
        """Sends a call and returns the data of its response."""
        return (yield from self.exchange(call, options)).data  # type: ignore[no-any-return]

    def exchange(self, call: Call[Any], options: RequestOptions | None) -> Flow[RawResponse]:
        """Sends a call, with retries, until it is answered.

        Raises:
            ApiError: for an error response
            ConnectionError, TimeoutError: without a complete response
            TypeError: for an inexact amount
        """
        options = options or RequestOptions()
        max_retries = self.options.max_retries if options.max_retries is None else options.max_retries
        max_wait = self.options.max_wait if options.max_wait is None else options.max_wait
        key = (options.idempotency_key or secrets.token_hex(16)) if call.takes_key else None
        request = write_request(call, options, self.options, root=self.root, key=key)
        attempt = 0
        while True:
            attempt += 1
            report = RequestReport(call.operation, call.verb, request.url, attempt, key)
            try:
                response = yield from self._try(request, call, report)
            except (ApiError, ConnectionError) as error:
                wait = wait_before_retry(
                    error,
                    may_repeat=call.may_repeat,
                    attempt=attempt,
                    max_retries=max_retries,
                    max_wait=max_wait,
                )
                if wait is None:
                    raise
                self._report_retry(RetryReport(**vars(report), wait=wait, error=error))
            else:
                collected = captured.get()
                if collected is not None:
                    collected.append(response)
                return response
            yield Wait(wait)

    def open(self, call: Call[Any], options: RequestOptions | None, *, silence: float) -> Flow[OpenAnswer]:
        """Sends a call once, and returns its response as soon as it begins. The caller closes the response.

        Raises:
            ApiError: for an error response
            ConnectionError, TimeoutError: without a response
        """
        options = options or RequestOptions()
        written = write_request(call, options, self.options, root=self.root, key=None)
        request = replace(written, timeout=silence)
        report = RequestReport(call.operation, call.verb, request.url, 1, None)
        begin = time.monotonic()
        answer: OpenAnswer = yield from self._attempt(request, call, report, Open)
        if answer.status == 200:
            return answer
        text = b""
        try:
            while len(text) < _MOST_OF_A_REFUSAL and time.monotonic() < begin + silence:
                chunk = yield Run(answer.read)
                if not chunk:
                    break
                text += chunk
        except NoAnswer as error:
            raise _failure_of(error, report) from (error.__cause__ or error)
        finally:
            yield Run(answer.close)
        raise error_of(
            status=answer.status,
            headers=answer.headers,
            text=text.decode("utf-8", "replace"),
            idempotency_key=None,
            attempts=1,
        )

    def send_part(self, path: str, offset: int, part: bytes, options: RequestOptions | None) -> Flow[int]:
        """Sends a part of an upload once (tus 1.0), and returns the offset after it.

        Raises:
            ApiError: for an error response
            ConnectionError, TimeoutError: without a response
        """
        headers = {"upload-offset": str(offset), "content-type": "application/offset+octet-stream"}
        return (yield from self._ask_upload("PATCH", path, headers, part, options))

    def read_offset(self, path: str, options: RequestOptions | None) -> Flow[int]:
        """Reads the number of stored bytes of an upload. Raises as `send_part`."""
        return (yield from self._ask_upload("HEAD", path, {}, None, options))

    def _ask_upload(
        self,
        verb: str,
        path: str,
        headers: Mapping[str, str],
        part: bytes | None,
        options: RequestOptions | None,
    ) -> Flow[int]:
        call: Call[Any] = Call(operation=None, verb="PATCH", path=path, root=True)
        request = write_request(call, options or RequestOptions(), self.options, root=self.root, key=None)
        given = {**request.headers, **headers, "tus-resumable": "1.0.0"}
        request = replace(request, verb=verb, headers=given, content=part)
        report = RequestReport(None, verb, request.url, 1, None)
        answer: HttpAnswer = yield from self._attempt(request, call, report)
        offset = answer.headers.get("upload-offset", "")
        if 200 <= answer.status < 300 and offset.isdecimal():
            return int(offset)
        raise error_of(
            status=answer.status,
            headers=answer.headers,
            text=answer.body.decode("utf-8", "replace"),
            idempotency_key=None,
            attempts=1,
        )

    def _try(self, request: Send, call: Call[Any], report: RequestReport) -> Flow[RawResponse]:
        """Makes one attempt. A response with a truncated body counts as no response."""
        answer: HttpAnswer = yield from self._attempt(request, call, report)
        try:
            text, data = _read(answer, call.file)
        except NoAnswer as error:
            raise _failure_of(error, report) from (error.__cause__ or error)
        if not (200 <= answer.status < 300 or answer.status == 304):
            raise error_of(
                status=answer.status,
                headers=answer.headers,
                text=text,
                idempotency_key=report.idempotency_key,
                attempts=report.attempt,
            )
        return RawResponse(
            status=answer.status,
            headers=answer.headers,
            text=text,
            data=data,
            attempts=report.attempt,
            request_id=answer.headers.get("x-request-id"),
            idempotency_key=report.idempotency_key,
        )

    def _attempt(
        self,
        request: Send,
        call: Call[Any],
        report: RequestReport,
        effect: Callable[[Send], Effect] = lambda request: request,
    ) -> Flow[Any]:
        """Makes one attempt with the token, and tells the hooks.

        Args:
            effect: What the driver does. Default: it returns the complete response. `Open` returns one that begins.
        """
        request = yield from self._authorize(request, call)
        self._report_request(report)
        begin = time.monotonic()
        try:
            answer = yield effect(request)
        except NoAnswer as error:
            raise _failure_of(error, report) from (error.__cause__ or error)
        self._report_answer(report, answer.status, answer.headers, time.monotonic() - begin)
        return answer

    def _authorize(self, request: Send, call: Call[Any]) -> Flow[Send]:
        token = None if call.open else self.token
        if callable(token):
            token = yield Run(token)
        return (
            replace(request, headers={"authorization": f"Bearer {token}", **request.headers})
            if token
            else request
        )

    def _report_request(self, report: RequestReport) -> None:
        if self.options.hooks.on_request:
            self.options.hooks.on_request(report)

    def _report_answer(
        self, report: RequestReport, status: int, headers: httpx2.Headers, duration: float
    ) -> None:
        request_id: str | None = headers.get("x-request-id")
        logger.debug("%s: %d in %.3f s (%s)", report.name, status, duration, request_id)
        if self.options.hooks.on_response:
            told = ResponseReport(**vars(report), status=status, request_id=request_id, duration=duration)
            self.options.hooks.on_response(told)

    def _report_retry(self, report: RetryReport) -> None:
        logger.info("%s %s: again in %.3f s: %s", report.verb, report.url, report.wait, report.error)
        if self.options.hooks.on_retry:
            self.options.hooks.on_retry(report)


_MOST_OF_A_REFUSAL = 64 * 1024


def _failure_of(error: NoAnswer, report: RequestReport) -> ConnectionError:
    kind = TimeoutError if error.timed_out else ConnectionError
    return kind(
        f"{report.name}: {'' if error.timed_out else 'no whole answer came: '}{error.reason}.",
        idempotency_key=report.idempotency_key,
        attempts=report.attempt,
    )


def _host_of(scheme: str, name: str, port: int | None) -> str:
    name = f"[{name}]" if ":" in name else name
    return name if port in (None, {"http": 80, "https": 443}[scheme]) else f"{name}:{port}"


def _read(answer: HttpAnswer, is_file: bool) -> tuple[str, Any]:
    """Returns the text of a response and its value. Raises NoAnswer for invalid JSON, such as a truncated body."""
    if is_file and 200 <= answer.status < 300:
        return "", answer.body
    text = answer.body.decode("utf-8", "replace")
    if not re.search(r"[/+]json\b", answer.headers.get("content-type", "")):
        return text, text or None
    try:
        return text, json.loads(text, parse_constant=_refuse_constant) if text else None
    except ValueError as error:
        if 200 <= answer.status < 300:
            raise NoAnswer(f"it is not JSON: {error}") from error
        return text, None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def choose_token(api_key: Token | None, access_token: Token | None) -> Token | None:
    if api_key is not None and access_token is not None:
        raise TypeError("Pass api_key or access_token, not both.")
    return access_token if api_key is None else api_key
