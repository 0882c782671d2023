from __future__ import annotations

import inspect
import time
from typing import Any, TypeVar

import anyio
import httpx2

from .flow import Effect, Flow, HttpAnswer, NoAnswer, Run, Send, Wait

T = TypeVar("T")


class Driver:
    """Runs flows by blocking."""

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
        if isinstance(effect, Run):
            return effect.function()
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
                # A redirect would carry the token elsewhere.
                follow_redirects=False,
            ) as answer:
                for chunk in answer.iter_bytes():
                    body += chunk
                    _limit(request, len(body))
                    if time.monotonic() > end:
                        raise _late(request)
        except httpx2.TimeoutException as error:
            raise _late(request) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise NoAnswer(_describe(error)) from error
        return HttpAnswer(answer.status_code, answer.headers, bytes(body))


class AsyncDriver:
    """Runs flows by awaiting. A task that is cancelled stops its flow where it waits."""

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
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise _late(request) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise NoAnswer(_describe(error)) from error
        return HttpAnswer(answer.status_code, answer.headers, bytes(body))


def _limit(request: Send, size: int) -> None:
    if request.max_bytes is not None and size > request.max_bytes:
        raise NoAnswer(f"it is larger than {request.max_bytes} bytes", too_large=True)


def _late(request: Send) -> NoAnswer:
    return NoAnswer(f"no answer within {request.timeout:g} s", timed_out=True)


def _describe(error: Exception) -> str:
    return str(error) or type(error).__name__
