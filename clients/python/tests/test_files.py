"""Uploads and downloads at a real service, whose address the runner gives in EARNEST_URL."""

from __future__ import annotations

import asyncio
import io
import os
import secrets
import threading
from pathlib import Path
from typing import Any, Callable, Iterator

import httpx2
import pytest
from conftest import Blocking

from earnest import AsyncEarnest, Earnest, FileMismatchError, LocalWallet

url = os.environ.get("EARNEST_URL", "")
content = secrets.token_bytes(700_000)


@pytest.fixture(params=["sync", "async"])
def connect(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Makes clients of the service: once `Earnest`, and once `AsyncEarnest`."""
    loop = asyncio.new_event_loop()
    opened: list[Any] = []

    def make(**options: Any) -> Any:
        opened.append((Earnest if request.param == "sync" else AsyncEarnest)(url, **options))
        client = opened[-1] if request.param == "sync" else Blocking(opened[-1], loop)
        client.sign_in(LocalWallet(secrets.token_hex(32)), chain_id=31337)
        return client

    yield make
    for one in opened:
        closed = one.close()
        if closed is not None:
            loop.run_until_complete(closed)
    loop.close()


def test_an_upload_in_parts_is_downloaded_as_its_reference_names_it(
    connect: Callable[..., Any], tmp_path: Path
) -> None:
    client = connect()
    path = tmp_path / "page-3.bin"
    path.write_bytes(content)
    seen: list[int] = []
    file = client.files.upload(path, chunk_bytes=300_000, on_progress=lambda _, sent, size: seen.append(sent))
    assert (file["name"], file["size"], file["status"]) == ("page-3.bin", len(content), "ready")
    assert seen == [0, 300_000, 600_000, 700_000]
    into = io.BytesIO()
    client.files.download(file["reference"], into)
    assert into.getvalue() == content
    for wrong in ({"sha256": "0x" + "00" * 32}, {"size": 7}):
        with pytest.raises(FileMismatchError):
            client.files.download({**file["reference"], **wrong}, io.BytesIO())


def test_an_upload_continues_by_its_id_after_a_restart(connect: Callable[..., Any]) -> None:
    client = connect()

    class Stopped(Exception):
        pass

    ids: list[str] = []

    def stop(file_id: str, sent: int, size: int) -> None:
        ids.append(file_id)
        if sent == 400_000:
            raise Stopped

    with pytest.raises(Stopped):
        client.files.upload(content, name="a", chunk_bytes=200_000, on_progress=stop)
    assert client.files.upload(content, file_id=ids[0])["status"] == "ready"
    with pytest.raises(FileMismatchError):
        client.files.upload(content[1:], file_id=ids[0])


def test_a_download_is_asked_for_again_while_the_service_has_too_many() -> None:
    asked = 0

    class Busy(httpx2.HTTPTransport):
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            nonlocal asked
            if "/downloads/" not in str(request.url):
                return super().handle_request(request)
            asked += 1
            if asked < 3:
                return httpx2.Response(429 if asked == 1 else 503, headers={"retry-after": "0"})
            return super().handle_request(request)

    with httpx2.Client(transport=Busy()) as http, Earnest(url, http=http) as client:
        client.sign_in(LocalWallet(secrets.token_hex(32)), chain_id=31337)
        file = client.files.upload(content, name="a")
        assert file["reference"]
        into = io.BytesIO()
        client.files.download(file["reference"], into)
    assert (asked, into.getvalue()) == (3, content)


def test_an_async_upload_reads_and_hashes_in_other_threads() -> None:
    threads: set[int] = set()

    class Recorded(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            threads.add(threading.get_ident())
            return super().read(size)

    async def upload() -> str:
        async with AsyncEarnest(url) as client:
            await client.sign_in(LocalWallet(secrets.token_hex(32)), chain_id=31337)
            file = await client.files.upload(Recorded(content), name="a", chunk_bytes=300_000)
            return str(file["status"])

    assert asyncio.run(upload()) == "ready"
    assert threads
    assert threading.get_ident() not in threads


def test_an_upload_continues_through_broken_connections(no_jitter: None) -> None:
    sent = 0

    class Flaky(httpx2.HTTPTransport):
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            nonlocal sent
            if request.method != "PATCH":
                return super().handle_request(request)
            sent += 1
            if sent == 1:
                raise httpx2.ConnectError("the network broke before the request")
            answer = super().handle_request(request)
            if sent == 2:
                raise httpx2.ReadError("the network broke before the answer")
            return answer

    with httpx2.Client(transport=Flaky()) as http, Earnest(url, http=http) as client:
        client.sign_in(LocalWallet(secrets.token_hex(32)), chain_id=31337)
        assert client.files.upload(content, name="a", chunk_bytes=400_000)["status"] == "ready"
    assert sent == 3
