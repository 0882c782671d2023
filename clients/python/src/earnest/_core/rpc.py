"""What a node of a chain is asked, by JSON-RPC."""

from __future__ import annotations

import json
import re
from typing import Any

from ..errors import NodeError
from .flow import Flow, HttpAnswer, NoAnswer, Send, Wait

_MOST_BYTES = 10_000_000
_BUSY = (429, 502, 503, 504)
_REPLACED = re.compile("BlockOutOfRangeError|header not found")
"""What nodes say whose latest block is replaced by the next one while they look."""
_REPLACED_TRIES = 5
_REPLACED_PAUSE = 0.05


def ask_node(rpc_url: str, method: str, *params: Any, timeout: float = 10.0, tries: int = 3) -> Flow[Any]:
    """The result of a method. A transaction that is signed is the same one when it is sent again, so each method may be.

    Raises:
        NodeError: the node refused, or did not respond to any try
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
                raise NoAnswer(f"it answered {answer.status}")
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
        raise NoAnswer("the answer is not JSON") from error
    if isinstance(said, dict) and "result" in said:
        return said["result"]
    refusal = said.get("error") if isinstance(said, dict) else None
    if not isinstance(refusal, dict):
        raise NodeError(method, "the answer is no JSON-RPC")
    code = refusal.get("code")
    raise NodeError(method, str(refusal.get("message")), code if isinstance(code, int) else None)
