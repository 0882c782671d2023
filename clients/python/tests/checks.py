"""The slow checks of types and form: they run beside the tests that wait for the service."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

COMMANDS = [
    ["mypy", "--cache-dir", "../../node_modules/.cache/clients-python/mypy"],
    ["pyright", "--pythonpath", sys.executable],
    ["ruff", "check", "--no-cache", "."],
    ["ruff", "format", "--no-cache", "--check", "."],
]
folder = Path(__file__).resolve().parents[1]
_pool = ThreadPoolExecutor(len(COMMANDS))
_begun: dict[str, Future[subprocess.CompletedProcess[str]]] = {}


def begin_checks() -> None:
    for command in COMMANDS:
        _begun[" ".join(command)] = _pool.submit(
            subprocess.run,
            [sys.executable, "-m", *command],
            cwd=folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )


def end_check(command: list[str]) -> tuple[int, str]:
    """The exit code, and what was printed."""
    done = _begun[" ".join(command)].result()
    return done.returncode, done.stdout
