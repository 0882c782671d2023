"""The account's files: uploads that resume, and downloads whose hash is checked."""

from __future__ import annotations

import hashlib
import io
import os
from functools import partial
from typing import Any, BinaryIO, Callable, Mapping, Union

from typing_extensions import TypeAlias

from ._core.call import RequestOptions
from ._core.flow import Flow, NoAnswer, Open, OpenAnswer, Run, Send, Wait, Work, ask
from ._core.resource import FlowTransport
from ._core.retry import is_temporary, wait_after
from ._core.retry_after import read_retry_after
from ._core.transport import Core
from ._generated import types
from ._generated.files import AsyncFilesResource, FilesResource
from .errors import ApiError, ConnectionError, EarnestError

__all__ = ["AsyncFiles", "FileMismatchError", "Files"]

Source: TypeAlias = Union[bytes, str, "os.PathLike[str]", BinaryIO]
"""Bytes, the path of a file, or an open file that can seek."""

OnProgress: TypeAlias = Callable[[str, int, int], Any]
"""A callback with the file's id, the bytes that were sent or read, and all bytes. An upload calls it before the first byte, too."""

CHUNK = 8 * 1024 * 1024
"""The bytes of a request of an upload, unless given; at most 64 MiB."""

_MOST_FAILURES = 8
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 60.0
"""The longest wait before a busy service is asked for a download again. Its link works for minutes."""
_SILENCE = 60.0


class FileMismatchError(EarnestError):
    """The bytes of a file differ from the hash or the size that its reference names. Do not use them."""


class Files(FilesResource):
    def upload(
        self,
        source: Source,
        *,
        name: str | None = None,
        file_id: str | None = None,
        chunk_bytes: int = CHUNK,
        on_progress: OnProgress | None = None,
        options: RequestOptions | None = None,
    ) -> types.StoredFile:
        """Uploads a file, and continues after broken connections. Its `reference` goes into payloads.

        Args:
            name: The name that others see. Default: the name of the path.
            file_id: Continues this upload, as after a restart of the program. The source must be the same.

        Raises:
            FileMismatchError: the service stored other bytes
            ConnectionError: after eight failures in a row
        """
        flow = _upload(self._transport.core, source, name, file_id, chunk_bytes, on_progress, options)
        return self._transport.run(flow)

    def download(
        self,
        reference: Mapping[str, Any],
        into: BinaryIO,
        *,
        on_progress: OnProgress | None = None,
        options: RequestOptions | None = None,
    ) -> None:
        """Writes a file's bytes, and compares their size and hash with the reference, such as one of a payload.

        Raises:
            FileMismatchError: the bytes are others; do not use what was written
        """
        self._transport.run(_download(self._transport.core, reference, into, on_progress, options))


class AsyncFiles(AsyncFilesResource):
    async def upload(
        self,
        source: Source,
        *,
        name: str | None = None,
        file_id: str | None = None,
        chunk_bytes: int = CHUNK,
        on_progress: OnProgress | None = None,
        options: RequestOptions | None = None,
    ) -> types.StoredFile:
        """Uploads a file; see `Files.upload`."""
        flow = _upload(self._transport.core, source, name, file_id, chunk_bytes, on_progress, options)
        return await self._transport.run(flow)

    async def download(
        self,
        reference: Mapping[str, Any],
        into: BinaryIO,
        *,
        on_progress: OnProgress | None = None,
        options: RequestOptions | None = None,
    ) -> None:
        """Writes a file's bytes; see `Files.download`."""
        await self._transport.run(_download(self._transport.core, reference, into, on_progress, options))


def _upload(
    core: Core,
    source: Source,
    name: str | None,
    file_id: str | None,
    chunk_bytes: int,
    on_progress: OnProgress | None,
    options: RequestOptions | None,
) -> Flow[types.StoredFile]:
    if isinstance(source, (str, os.PathLike)):
        name = name or os.path.basename(os.fspath(source))
        with open(source, "rb") as opened:
            return (yield from _upload(core, opened, name, file_id, chunk_bytes, on_progress, options))
    stream: BinaryIO = io.BytesIO(source) if isinstance(source, bytes) else source
    files = FilesResource(FlowTransport(core))
    size = stream.seek(0, os.SEEK_END)
    if file_id is None:
        file = yield from ask(files.create(name=name or "file", size=size, options=options))
    else:
        file = yield from ask(files.get(file_id, options=options))
    if file["size"] != size:
        raise FileMismatchError(f"The upload {file['id']} has {file['size']} bytes, and the source {size}.")
    path = f"/uploads/{file['id']}"
    offset = (yield from _resumed(core, path, options)) if file["status"] == "uploading" else size
    if on_progress:
        yield Run(partial(on_progress, file["id"], offset, size))
    while offset < size:
        part = yield Work(partial(_read_at, stream, offset, min(chunk_bytes, size - offset)))
        if not part:
            raise FileMismatchError(
                f"The source of the upload {file['id']} ended at byte {offset} of {size}."
            )
        offset = yield from _send_from(core, path, offset, part, options)
        if on_progress:
            yield Run(partial(on_progress, file["id"], offset, size))
    digest = hashlib.sha256()
    hashed = 0
    while hashed < size:
        passed: int = yield Work(partial(_hash_at, digest, stream, hashed))
        if passed == 0:
            break
        hashed += passed
    complete = yield from ask(files.get(file["id"], options=options))
    if complete["sha256"] != f"0x{digest.hexdigest()}":
        raise FileMismatchError(
            f"The service stored {file['id']} with {complete['sha256']}, but the source has 0x{digest.hexdigest()}."
        )
    return complete


def _read_at(stream: BinaryIO, offset: int, most: int) -> bytes:
    stream.seek(offset)
    return stream.read(most)


def _hash_at(digest: Any, stream: BinaryIO, offset: int) -> int:
    part = _read_at(stream, offset, CHUNK)
    digest.update(part)
    return len(part)


def _send_from(core: Core, path: str, offset: int, part: bytes, options: RequestOptions | None) -> Flow[int]:
    """Sends a part, and returns the offset to continue from."""
    failures = 0
    while True:
        try:
            return (yield from core.send_part(path, offset, part, options))
        except (ApiError, ConnectionError) as error:
            failures += 1
            if not _may_resume(error) or failures >= _MOST_FAILURES:
                raise
            wait = wait_after(error, failures, _FIRST_WAIT)
        yield Wait(wait)
        stored = yield from _resumed(core, path, options)
        if stored != offset:
            return stored


def _resumed(core: Core, path: str, options: RequestOptions | None) -> Flow[int]:
    """Reads the number of stored bytes."""
    failures = 0
    while True:
        try:
            return (yield from core.read_offset(path, options))
        except (ApiError, ConnectionError) as error:
            failures += 1
            if not _may_resume(error) or failures >= _MOST_FAILURES:
                raise
            wait = wait_after(error, failures, _FIRST_WAIT)
        yield Wait(wait)


def _may_resume(error: ApiError | ConnectionError) -> bool:
    """Whether an upload continues: after a temporary error, another request's lease, or an offset that has moved."""
    return is_temporary(error) or (isinstance(error, ApiError) and error.status in (409, 423))


def _open_download(request: Send) -> Flow[OpenAnswer]:
    """Requests the bytes. A service with too many downloads is asked again."""
    failures = 0
    while True:
        answer: OpenAnswer = yield Open(request)
        if answer.status == 200:
            return answer
        yield Run(answer.close)
        failures += 1
        if answer.status not in (429, 503) or failures >= _MOST_FAILURES:
            raise EarnestError(f"The download was answered with the status {answer.status}. Make a new link.")
        asked = read_retry_after(answer.headers.get("retry-after")) or 0.0
        yield Wait(max(_FIRST_WAIT, min(asked, _LONGEST_WAIT)))


def _download(
    core: Core,
    reference: Mapping[str, Any],
    into: BinaryIO,
    on_progress: OnProgress | None,
    options: RequestOptions | None,
) -> Flow[None]:
    file_id, size, expected = reference["file_id"], reference["size"], reference["sha256"]
    files = FilesResource(FlowTransport(core))
    link = yield from ask(files.create_link(file_id, options=options))
    # The link carries its own right: no token is sent.
    request = Send("GET", link["url"], {"accept-encoding": "identity"}, timeout=_SILENCE)
    digest = hashlib.sha256()
    read = 0
    try:
        answer = yield from _open_download(request)
        try:
            while read <= size:
                chunk: bytes = yield Run(answer.read)
                if not chunk:
                    break
                read += len(chunk)
                digest.update(chunk)
                into.write(chunk)
                if on_progress:
                    yield Run(partial(on_progress, file_id, read, size))
        finally:
            yield Run(answer.close)
    except NoAnswer as error:
        raise ConnectionError(f"The download broke off: {error.reason}.") from error
    if read != size or f"0x{digest.hexdigest()}" != expected:
        raise FileMismatchError(f"The bytes of {file_id} are not those of the reference {expected}.")
