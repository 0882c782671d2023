from __future__ import annotations

import contextlib
import inspect
import socket
import time
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import httpx2

from .flow import Effect, Flow, HttpAnswer, NoAnswer, Open, OpenAnswer, Run, Send, Wait, Work

T = TypeVar("T")


class Driver:
    """Runs flows by blocking calls."""

    def __init__(self, http: httpx2.Client | None = None) -> None:
        self._own = http is None
        self._http = httpx2.Client() if http is None else http

    def close(self) -> None:
        if self._own:
            self._http.close()

    def run(self, flow: Flow[T]) -> T:
        try:
            effect = next(flow)
            while True:
                try:
                    result = self._perform(effect)
                except BaseException as error:
                    effect = flow.throw(error)
                else:
                    effect = flow.send(result)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, Wait):
            time.sleep(effect.seconds)
            return None
        if isinstance(effect, (Run, Work)):
            return effect.function()
        if isinstance(effect, Open):
            return self._open(effect.request)
        return self._send(effect)

    def _send(self, request: Send) -> HttpAnswer:
        end = time.monotonic() + request.timeout
        body = bytearray()
        try:
            with self._http.stream(
                request.verb,
                request.url,
                headers=request.headers,
                content=request.content,
                timeout=request.timeout,
                # A redirect would send the token elsewhere.
                follow_redirects=False,
            ) as answer:
                for chunk in answer.iter_bytes():
                    body += chunk
                    _limit(request, len(body))
                    if time.monotonic() > end:
                        raise _late(request)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise _no_answer(request, error) from error
        return HttpAnswer(answer.status_code, answer.headers, bytes(body))

    def _open(self, request: Send) -> OpenAnswer:
        try:
            sent = self._http.build_request(
                request.verb,
                request.url,
                headers=request.headers,
                content=request.content,
                timeout=request.timeout,
            )
            answer = self._http.send(sent, stream=True, follow_redirects=False)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise _no_answer(request, error) from error
        chunks = answer.iter_raw()

        def read() -> bytes:
            try:
                return next(chunks, b"")
            except (httpx2.HTTPError, httpx2.StreamError) as error:
                raise _no_answer(request, error) from error

        return OpenAnswer(answer.status_code, answer.headers, read, answer.close, lambda: _shut(answer))


class AsyncDriver:
    """Runs flows by awaiting. A cancelled task ends its flow at the current step."""

    def __init__(self, http: httpx2.AsyncClient | None = None) -> None:
        self._own = http is None
        self._http = httpx2.AsyncClient() if http is None else http

    async def close(self) -> None:
        if self._own:
            await self._http.aclose()

    async def run(self, flow: Flow[T]) -> T:
        try:
            effect = next(flow)
            while True:
                try:
                    result = await self._perform(effect)
                except BaseException as error:
                    effect = flow.throw(error)
                else:
                    effect = flow.send(result)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    async def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, Wait):
            await anyio.sleep(effect.seconds)
            return None
        if isinstance(effect, Run):
            result = effect.function()
            return await result if inspect.isawaitable(result) else result
        if isinstance(effect, Work):
            return await anyio.to_thread.run_sync(effect.function)
        if isinstance(effect, Open):
            return await self._open(effect.request)
        return await self._send(effect)

    async def _send(self, request: Send) -> HttpAnswer:
        body = bytearray()
        try:
            with anyio.fail_after(request.timeout):
                async with self._http.stream(
                    request.verb,
                    request.url,
                    headers=request.headers,
                    content=request.content,
                    timeout=request.timeout,
                    follow_redirects=False,
                ) as answer:
                    async for chunk in answer.aiter_bytes():
                        body += chunk
                        _limit(request, len(body))
        except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise _no_answer(request, error) from error
        return HttpAnswer(answer.status_code, answer.headers, bytes(body))

    async def _open(self, request: Send) -> OpenAnswer:
        try:
            sent = self._http.build_request(
                request.verb,
                request.url,
                headers=request.headers,
                content=request.content,
                timeout=request.timeout,
            )
            with anyio.fail_after(request.timeout):
                answer = await self._http.send(sent, stream=True, follow_redirects=False)
        except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise _no_answer(request, error) from error
        chunks = answer.aiter_raw()

        async def read() -> bytes:
            try:
                return await chunks.__anext__()
            except StopAsyncIteration:
                return b""
            except (httpx2.HTTPError, httpx2.StreamError) as error:
                raise _no_answer(request, error) from error

        return OpenAnswer(answer.status_code, answer.headers, read, answer.aclose, lambda: None)


def _shut(answer: httpx2.Response) -> None:
    """Ends the connection during a read of another thread. A plain close would leave the thread waiting."""
    network = answer.extensions.get("network_stream")
    # A connection of HTTP/2 carries other responses too.
    if network is None or answer.http_version == "HTTP/2":
        return
    connection = network.get_extra_info("socket")
    if connection is not None:
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


def _limit(request: Send, size: int) -> None:
    if request.max_bytes is not None and size > request.max_bytes:
        raise NoAnswer(f"it is larger than {request.max_bytes} bytes", too_large=True)


def _no_answer(request: Send, error: Exception) -> NoAnswer:
    if isinstance(error, (TimeoutError, httpx2.TimeoutException)):
        return _late(request)
    return NoAnswer(_describe(error))


def _late(request: Send) -> NoAnswer:
    return NoAnswer(f"no response within {request.timeout:g} s", timed_out=True)


def _describe(error: Exception) -> str:
    return str(error) or type(error).__name__
