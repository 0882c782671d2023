"""The provider's sessions in a file of SQLite."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from typing import Any

from .errors import FileInUseError

_TABLE = """
CREATE TABLE IF NOT EXISTS sessions (
  escrow_id TEXT PRIMARY KEY, order_id TEXT NOT NULL, agreement TEXT NOT NULL, ends_at REAL NOT NULL,
  amount TEXT NOT NULL DEFAULT '0', work TEXT, signature TEXT, output BLOB, type TEXT, statement TEXT,
  closing INTEGER NOT NULL DEFAULT 0, close_amount TEXT, close_deadline TEXT, close_signature TEXT
)
"""


class CallStore:
    """Keeps the newest answered voucher of each session with its answer. A write that returned survives the machine. One
    process has the file open at a time: the system ends the lock with the process."""

    def __init__(self, path: str) -> None:
        # SQLite gives its other files the mode of this one.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        self._turn = threading.Lock()
        self._db = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        self._db.row_factory = sqlite3.Row
        try:
            self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute(_TABLE)
            # A write takes the lock, which this connection then holds.
            self._db.execute("PRAGMA user_version=1")
        except sqlite3.OperationalError as error:
            self._db.close()
            raise FileInUseError(path) from error

    def rows(self) -> list[dict[str, Any]]:
        with self._turn:
            rows = [dict(row) for row in self._db.execute("SELECT * FROM sessions")]
        return [{**row, "agreement": json.loads(row["agreement"])} for row in rows]

    def add(self, escrow_id: str, order_id: str, agreement: Any, ends_at: float) -> None:
        """Keeps a session's terms, so that it is paid after a restart without the service."""
        values = (escrow_id, order_id, json.dumps(agreement), ends_at)
        with self._turn:
            self._db.execute(
                "INSERT OR IGNORE INTO sessions (escrow_id, order_id, agreement, ends_at) VALUES (?, ?, ?, ?)",
                values,
            )

    def update(self, escrow_id: str, **columns: Any) -> None:
        names = ", ".join(f"{name} = ?" for name in columns)
        with self._turn:
            self._db.execute(
                f"UPDATE sessions SET {names} WHERE escrow_id = ?", (*columns.values(), escrow_id)
            )

    def answer_of(self, escrow_id: str) -> tuple[bytes, str, str]:
        """Returns the newest output, its media type and its statement."""
        with self._turn:
            row = self._db.execute(
                "SELECT output, type, statement FROM sessions WHERE escrow_id = ?", (escrow_id,)
            ).fetchone()
        return bytes(row["output"]), row["type"], row["statement"]

    def remove(self, escrow_id: str) -> None:
        with self._turn:
            self._db.execute("DELETE FROM sessions WHERE escrow_id = ?", (escrow_id,))

    def close(self) -> None:
        with self._turn:
            self._db.close()
