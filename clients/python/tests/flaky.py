"""A server of Python's own http.server whose network has faults."""

from __future__ import annotations

import json
import socket
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Iterable
from urllib.parse import parse_qs, urlsplit


@dataclass
class Seen:
    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    """By their names in lower case."""
    body: Any


@dataclass
class Answer:
    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    fault: str | None = None
    """`lost`: carried out, and the connection ends without an answer. `cut`: in the middle of the body. `short`: the body ends
    early, with a length that says so. `slow`: the answer comes after `delay`. `drip`: byte by byte, `delay` apart."""
    delay: float = 0.0
    chunks: Iterable[bytes] | None = None
    """A body without a length, sent as it comes; `cut` leaves out its end."""


class FlakyServer:
    """Sends the given responses in this order, and then the responses of `otherwise`."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.answers: list[Answer] = []
        self.otherwise: Callable[[Seen], Answer] = lambda seen: Answer({"path": seen.path})
        self.kept: dict[str, Any] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_all(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                raw = self.rfile.read(length)
                url = urlsplit(self.path)
                seen = Seen(
                    self.command,
                    url.path,
                    parse_qs(url.query, keep_blank_values=True),
                    {name.lower(): value for name, value in self.headers.items()},
                    json.loads(raw) if raw else None,
                )
                outer.seen.append(seen)
                self.reply(outer.answers.pop(0) if outer.answers else outer.otherwise(seen))

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_all

            def reply(self, answer: Answer) -> None:
                if answer.fault == "lost":
                    self.hang_up()
                    return
                if answer.fault == "slow":
                    time.sleep(answer.delay)
                if answer.chunks is not None:
                    self.stream(answer, answer.chunks)
                    return
                plain = isinstance(answer.body, (str, bytes))
                text = answer.body if plain else json.dumps(answer.body)
                content = text if isinstance(text, bytes) else text.encode()
                if answer.fault == "short":
                    content = content[: len(content) // 2]
                self.send_response(answer.status)
                kind = {} if plain else {"content-type": "application/json"}
                for name, value in {**kind, **answer.headers, "content-length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                if answer.fault == "cut":
                    self.wfile.write(content[: len(content) // 2])
                    self.hang_up()
                elif answer.fault == "drip":
                    for at in range(len(content)):
                        self.wfile.write(content[at : at + 1])
                        time.sleep(answer.delay)
                else:
                    self.wfile.write(content)

            def stream(self, answer: Answer, chunks: Iterable[bytes]) -> None:
                self.send_response(answer.status)
                kind = {"content-type": "text/event-stream; charset=utf-8", "transfer-encoding": "chunked"}
                for name, value in {**kind, **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                for chunk in chunks:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                    self.wfile.flush()
                if answer.fault == "cut":
                    self.hang_up()
                else:
                    self.wfile.write(b"0\r\n\r\n")

            def hang_up(self) -> None:
                self.wfile.flush()
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                """The test expects a client that hangs up."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def keeping_keys(self, seen: Seen) -> Answer:
        """Executes a write once for each key, as the service does."""
        key = seen.headers["idempotency-key"]
        again = key in self.kept
        made = self.kept.setdefault(key, {"id": f"ord_{len(self.kept)}", "reference": "E-1"})
        return Answer(made, 200 if again else 201, {"idempotent-replayed": "true"} if again else {})

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def refusal(status: int, code: str, *, retry_after: str | None = None, **more: Any) -> Answer:
    """An answer in the service's envelope of errors."""
    error = {"code": code, "message": f"It is {code}.", "request_id": "req_1", **more}
    return Answer(
        {"error": error},
        status,
        {"x-request-id": "req_1", **({} if retry_after is None else {"retry-after": retry_after})},
    )
