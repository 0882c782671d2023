from __future__ import annotations

import json
import platform
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping
from urllib.parse import urlencode

from .._version import version
from .call import OMITTED, Call, Omitted, RequestOptions
from .exact import write_exact
from .flow import Send
from .hooks import Hooks

API_PATH = "/api/v1"

_MOST_OF_AN_ANSWER = 64 * 1024 * 1024
_USER_AGENT = f"earnest-client-python/{version} (Python/{platform.python_version()})"


@dataclass(frozen=True)
class ClientOptions:
    organisation: str | None = None
    max_retries: int = 2
    max_wait: float = 30.0
    timeout: float = 60.0
    headers: Mapping[str, str] = field(default_factory=dict)
    hooks: Hooks = field(default_factory=Hooks)


def write_request(
    call: Call[Any], options: RequestOptions, client: ClientOptions, *, root: str, key: str | None
) -> Send:
    """Returns the request that every attempt sends, without the token.

    Args:
        root: The service's URL, below which the API has the path `/api/v1`.
        key: The idempotency key of a write.

    Raises:
        TypeError: for an inexact amount
    """
    query = list(_pairs(write_exact(call.exact, call.query)))
    body = call.body
    if isinstance(body, Mapping):
        given = {name: value for name, value in body.items() if not isinstance(value, Omitted)}
        body = write_exact(call.exact, given)
    organisation = options.organisation
    if isinstance(organisation, Omitted):
        organisation = client.organisation
    headers = {
        "accept": call.accept,
        "user-agent": _USER_AGENT,
        **({} if body is OMITTED else {"content-type": "application/json"}),
        **({} if key is None else {"idempotency-key": key}),
        **({"x-organisation": organisation} if organisation and not call.open else {}),
        **{name: value for name, value in call.headers.items() if not isinstance(value, Omitted)},
        **{name.lower(): value for name, value in client.headers.items()},
        **{name.lower(): value for name, value in options.headers.items()},
    }
    return Send(
        verb=call.verb,
        url=f"{root}{'' if call.root else API_PATH}{call.path}{'?' if query else ''}{urlencode(query)}",
        headers=headers,
        content=None if body is OMITTED else _dump(body),
        timeout=client.timeout if options.timeout is None else options.timeout,
        max_bytes=_MOST_OF_AN_ANSWER,
    )


def _pairs(query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in query.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None and not isinstance(one, Omitted):
                yield name, ("true" if one else "false") if isinstance(one, bool) else str(one)


def _dump(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
