"""Requests to a node of a chain by JSON-RPC."""

from __future__ import annotations

import json
import re
from typing import Any

from ..errors import NodeError
from .flow import Flow, HttpAnswer, NoAnswer, Send, Wait

_MOST_BYTES = 10_000_000
_BUSY = (429, 502, 503, 504)
_REPLACED = re.compile("BlockOutOfRangeError|header not found")
"""The errors of nodes whose latest block is replaced during a request."""
_REPLACED_TRIES = 5
_REPLACED_PAUSE = 0.05


def ask_node(rpc_url: str, method: str, *params: Any, timeout: float = 10.0, tries: int = 3) -> Flow[Any]:
    """Returns the result of a method. Each method may be repeated, because a signed transaction stays the same.

    Raises:
        NodeError: the node refused, or did not respond to any attempt
    """
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    left, replaced = tries, _REPLACED_TRIES
    while True:
        try:
            answer: HttpAnswer = yield Send(
                verb="POST",
                url=rpc_url,
                headers={"content-type": "application/json", "accept": "application/json"},
                content=body,
                timeout=timeout,
                max_bytes=_MOST_BYTES,
            )
            if answer.status in _BUSY:
                raise NoAnswer(f"the status is {answer.status}")
            return _read(method, answer)
        except NoAnswer as error:
            left -= 1
            if left == 0:
                raise NodeError(method, error.reason) from error
            pause = 0.2 * 2.0 ** (tries - left)
        except NodeError as error:
            if replaced == 0 or not _REPLACED.search(error.reason):
                raise
            replaced -= 1
            pause = _REPLACED_PAUSE
        yield Wait(pause)


def _read(method: str, answer: HttpAnswer) -> Any:
    try:
        said = json.loads(answer.body)
    except ValueError as error:
        raise NoAnswer("the response is not JSON") from error
    if isinstance(said, dict) and "result" in said:
        return said["result"]
    refusal = said.get("error") if isinstance(said, dict) else None
    if not isinstance(refusal, dict):
        raise NodeError(method, "the response is not JSON-RPC")
    code = refusal.get("code")
    raise NodeError(method, str(refusal.get("message")), code if isinstance(code, int) else None)
