"""Server-sent events by WHATWG HTML, section 9.2.6."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterator

_LINE_END = re.compile(rb"\r\n|\n|\r")
_MARK = b"\xef\xbb\xbf"
MOST_BYTES = 4 * 1024 * 1024
"""The most bytes of one message, so that a stream cannot fill the memory."""


@dataclass
class Message:
    """The known fields of a message. A message without data moves the cursor only."""

    id: str | None = None
    data: str | None = None
    retry: int | None = None
    """Milliseconds."""


class MessageTooLargeError(Exception):
    pass


class MessageReader:
    """Reads the messages of a stream from its bytes, in pieces of any size."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._after_return = False
        self._is_first = True
        self._message = Message()
        self._data: list[bytes] = []
        self._size = 0

    def read(self, chunk: bytes) -> Iterator[Message]:
        """Returns the messages that end within these bytes.

        Raises:
            MessageTooLargeError: for a message of more than MOST_BYTES
        """
        # A line ends with its CR, so that no message waits for the next byte. The LF of the pair may come later.
        if self._after_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_return = chunk.endswith(b"\r")
        first, *others = _LINE_END.split(chunk)
        self._rest += first
        for other in others:
            line = bytes(self._rest)
            self._rest = bytearray(other)
            if self._is_first:
                line = line.removeprefix(_MARK)
                self._is_first = False
            if line:
                self._take(line)
                continue
            if self._data:
                self._message.data = b"\n".join(self._data).decode("utf-8", "replace")
            yield self._message
            self._message, self._data, self._size = Message(), [], 0
        if self._size + len(self._rest) > MOST_BYTES:
            raise MessageTooLargeError

    def _take(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._size += len(value) + 1
        elif name == b"id" and b"\0" not in value:
            self._message.id = value.decode("utf-8", "replace")
        elif name == b"retry" and re.fullmatch(rb"[0-9]{1,9}", value):
            self._message.retry = int(value)
