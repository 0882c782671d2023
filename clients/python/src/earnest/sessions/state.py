"""The file of a session: JSON lines, of which the last one counts."""

from __future__ import annotations

import json
import os
from typing import Any

from .errors import FileInUseError

_LARGE = 1024 * 1024
"""Bytes above which the file is written anew with its last line alone."""


class StateFile:
    """Keeps one JSON value. A killed process loses nothing that was written, and a line that was cut is dropped. One process
    has the file open at a time: the system ends the lock with the process."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        # The lock is on a file of its own, because the state's file is replaced.
        self._lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(self._lock, self.path)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        except BaseException:
            os.close(self._lock)
            raise
        self.value: dict[str, Any] = self._read()

    def write(self, value: dict[str, Any]) -> None:
        line = json.dumps(value).encode() + b"\n"
        if os.fstat(self._file).st_size + len(line) > _LARGE:
            self._replace(line)
        else:
            _write(self._file, line)
        self.value = value

    def close(self) -> None:
        if self._file < 0:
            return
        os.close(self._file)
        os.close(self._lock)
        self._file = -1

    def _read(self) -> dict[str, Any]:
        with open(self.path, "rb") as file:
            whole, _, cut = file.read().rpartition(b"\n")
        if cut:
            os.ftruncate(self._file, len(whole) + 1 if whole else 0)
        for line in reversed(whole.split(b"\n")):
            # The end of the machine can leave a line of zeros.
            if line and b"\0" not in line:
                value = json.loads(line)
                if isinstance(value, dict):
                    return value
        return {}

    def _replace(self, line: bytes) -> None:
        path = f"{self.path}.new"
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        _write(file, line)
        os.fsync(file)
        os.replace(path, self.path)
        os.close(self._file)
        self._file = file


def _write(file: int, line: bytes) -> None:
    rest = memoryview(line)
    while rest:
        rest = rest[os.write(file, rest) :]


def _lock(file: int, path: str) -> None:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise FileInUseError(path) from error
