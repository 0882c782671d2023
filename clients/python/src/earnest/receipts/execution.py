"""The requests by which the service has orders executed at a provider's endpoint (RFC 9421, docs/execution.md)."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Iterable, Literal, Mapping, Protocol, Sequence, Union

from typing_extensions import TypeAlias

from .._core.flow import Flow
from .errors import Rejection
from .issuer import expected_issuer
from .keyset import (
    Memo,
    assert_key_valid_at,
    assert_own_method,
    assert_uncompromised,
    fetch_key_set,
    find_key,
)
from .result import Settings
from .signed import assert_signature


class _Items(Protocol):
    def items(self) -> Iterable[tuple[str, str]]: ...


ExecutionHeaders: TypeAlias = Union[_Items, Iterable["tuple[str, str]"]]
"""The headers of any framework: an object with `items()`, or pairs. The case of names does not matter."""


@dataclass(frozen=True)
class ExecutionFailure:
    """The refused result. Answer 401 and do nothing else."""

    code: str
    """One of `RECEIPT_ERRORS`, or `missing_signature`, `wrong_signature`, `wrong_digest`, `expired`, `foreign_agent`."""
    message: str
    valid: Literal[False] = False


@dataclass(frozen=True)
class VerifiedExecution:
    """A request of the service for an order of your own agent."""

    order: Mapping[str, Any]
    idempotency_key: str
    """The same for each attempt: do the work once, and repeat the answer."""
    nonce: str
    """Differs between the attempts."""
    key_id: str
    valid: Literal[True] = True


_GOOD_FOR = 300
_BLANKS = " \t"
_COVERED = '"@method" "@target-uri" "content-digest" "content-type" "idempotency-key"'
_INPUT = re.compile(
    r'(?:^|,)[ \t]*earnest=(\(([a-z"@ -]*)\)((?:;[a-z]+=(?:[0-9]{1,15}|"[!#-\[\]-~ ]{0,512}"))*))[ \t]*(?=,|\Z)'
)
_SIGNATURE = re.compile(r"(?:^|,)[ \t]*earnest=:([A-Za-z0-9+/=]{88}):[ \t]*(?=,|\Z)")
_PARAMETER = re.compile(r';([a-z]+)=(?:([0-9]+)|"([^"]*)")')


class _Refused(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def execution_flow(
    settings: Settings,
    memo: Memo,
    method: str,
    headers: ExecutionHeaders,
    body: bytes | str,
    endpoint: str,
    agent: str | Sequence[str],
) -> Flow[VerifiedExecution | ExecutionFailure]:
    """Verifies a request. It raises for no input."""
    try:
        return (yield from _check(settings, memo, method, headers, body, endpoint, agent))
    except (_Refused, Rejection) as refused:
        return ExecutionFailure(refused.code, str(refused))
    except Exception as error:
        return ExecutionFailure("malformed", f"{type(error).__name__}: {error}")


def _check(
    settings: Settings,
    memo: Memo,
    method: str,
    headers: ExecutionHeaders,
    body: bytes | str,
    endpoint: str,
    agent: str | Sequence[str],
) -> Flow[VerifiedExecution]:
    issuer = expected_issuer(settings.issuer)
    fields = _read_fields(headers)
    params, values = _read_input(fields.get("signature-input"))
    signature = _read_signature(fields.get("signature"))
    created, key_id = int(values["created"]), values["keyid"]
    assert_own_method(issuer, key_id)
    # The clock counts whole seconds, as `created` does.
    if abs(math.floor(settings.time.timestamp()) - created) > _GOOD_FOR or int(values["expires"]) < created:
        raise _Refused("expired", "The request was not signed within the last five minutes.")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    digest = base64.b64encode(hashlib.sha256(raw).digest()).decode()
    if fields.get("content-digest") != f"sha-256=:{digest}:":
        raise _Refused("wrong_digest", "The body does not match Content-Digest.")
    derived = {"@method": method, "@target-uri": endpoint}
    lines: list[str] = []
    for name in _COVERED.replace('"', "").split(" "):
        value = derived.get(name, fields.get(name))
        if value is None or "\n" in value or "\r" in value:
            raise _Refused("wrong_signature", f"The request has no {name} that can be signed.")
        lines.append(f'"{name}": {value.strip(_BLANKS)}')
    base = "\n".join([*lines, f'"@signature-params": {params}'])
    key_set = yield from memo.once(f"keys of {issuer.name}", lambda: fetch_key_set(issuer, settings.limits))
    key = find_key(key_set, key_id, "JsonWebKey", "authentication")
    assert_uncompromised(key)
    assert_key_valid_at(key, datetime.fromtimestamp(created, timezone.utc))
    assert_signature(signature, base.encode(), key)
    order = json.loads(raw)
    own = [agent] if isinstance(agent, str) else agent
    if order.get("agent_id") not in own:
        raise _Refused(
            "foreign_agent", f"The order is of the agent {order.get('agent_id')}, which is not yours."
        )
    return VerifiedExecution(order, fields["idempotency-key"], values["nonce"], key.id)


def _pairs_of(headers: Any) -> Iterable[tuple[str, str]]:
    return headers.items() if hasattr(headers, "items") else headers  # type: ignore[no-any-return]


def _read_fields(headers: ExecutionHeaders) -> dict[str, str]:
    pairs = _pairs_of(headers)
    fields: dict[str, str] = {}
    for name, value in pairs:
        lower = name.lower()
        fields[lower] = f"{fields[lower]}, {value}" if lower in fields else value
    return fields


def _read_input(text: str | None) -> tuple[str, dict[str, str]]:
    found = _INPUT.findall(text[:8192]) if text is not None else []
    if len(found) != 1:
        raise _Refused("missing_signature", "The request has no one signature named earnest.")
    params, names, rest = found[0]
    values = {name: number or text for name, number, text in _PARAMETER.findall(rest)}
    is_whole = {"created", "expires", "nonce", "keyid"} <= values.keys()
    is_ours = names == _COVERED and (values.get("alg"), values.get("tag")) == ("ed25519", "earnest-execution")
    if not is_whole or not is_ours or not (values["created"] + values["expires"]).isdigit():
        raise _Refused("wrong_signature", "The signature does not have the form of an execution's signature.")
    return params, values


def _read_signature(text: str | None) -> bytes:
    found = _SIGNATURE.findall((text or "")[:8192])
    if len(found) != 1:
        raise _Refused("missing_signature", "The request has no Signature of the service's.")
    return base64.b64decode(found[0], validate=True)
