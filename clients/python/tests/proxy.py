"""A proxy between a client and a service or a node. It can change and lose responses."""

from __future__ import annotations

import json
import re
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable

from typing_extensions import Self

Lie = Callable[[str, Any], Any]
"""Returns the client's response from a call, as in `GET /api/v1/orders`, and its true response."""


class Proxy:
    def __init__(self, target: str) -> None:
        self.calls: list[str] = []
        """The calls so far, as in `POST /api/v1/orders`, or `POST / eth_call` for a node."""
        self._lie: Lie | None = None
        self._shape: re.Pattern[str] | None = None
        self._left = 0
        self._held = threading.Event()
        self._released = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_all(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                call = f"{self.command} {self.path.split('?')[0]}"
                if body.startswith(b'{"jsonrpc"'):
                    call += f" {json.loads(body)['method']}"
                outer.calls.append(call)
                outer._stand(f"before {call}")
                headers = {
                    name: value
                    for name, value in self.headers.items()
                    if name.lower() not in ("host", "accept-encoding", "connection")
                }
                request = urllib.request.Request(
                    target.rstrip("/") + self.path, body or None, headers, method=self.command
                )
                try:
                    with urllib.request.urlopen(request) as answer:
                        status, raw, found = answer.status, answer.read(), answer.headers
                except urllib.error.HTTPError as error:
                    status, raw, found = error.code, error.read(), error.headers
                outer._stand(f"after {call}")
                if outer._lie is not None and "json" in found.get("content-type", ""):
                    truth = json.loads(raw)
                    changed = outer._lie(call, truth)
                    status = status if changed is truth else 200
                    raw = json.dumps(changed).encode()
                self.send_response(status)
                for name in ("content-type", "idempotent-replayed", "retry-after", "link"):
                    if name in found:
                        self.send_header(name, found[name])
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_all

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                """A killed client hangs up."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def change_responses(self, lie: Lie | None) -> None:
        """Changes all later responses."""
        self._lie = lie

    def hold_next(self, shape: str, nth: int = 1) -> None:
        """Holds the nth fitting call forever, as in `before POST /api/v1/orders`. Other calls pass."""
        self._shape, self._left = re.compile(shape), nth

    def wait_until_held(self, is_over: Callable[[], bool]) -> None:
        while not self._held.wait(0.05):
            assert not is_over(), "It ended before it was held."

    def _stand(self, call: str) -> None:
        if self._shape is None or not self._shape.fullmatch(call):
            return
        self._left -= 1
        if self._left == 0:
            self._shape = None
            self._held.set()
            self._released.wait()
            raise ConnectionResetError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def put(place: str, path: str, value: Any) -> Lie:
    """A lie of one value, at a path as in `escrow.deposit_address`, in the answers whose call fits a pattern."""

    def lie(call: str, answer: Any) -> Any:
        if re.search(place, call):
            *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
            inner = answer
            for step in way:
                inner = inner[step]
            inner[last] = value(inner[last]) if callable(value) else value
        return answer

    return lie
