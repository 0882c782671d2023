"""The check of a statement of an agent's record, which is not a receipt."""

from __future__ import annotations

from typing import Any

from .._core.flow import Flow
from .document import read_signed
from .errors import Rejection
from .issuer import is_url
from .keyset import Memo, assert_uncompromised
from .reading import (
    Check,
    has_shape,
    is_address,
    is_exactly,
    is_hash,
    is_issuer,
    is_text,
    is_time,
    is_whole,
    matches,
    or_none,
    time_of,
)
from .result import Settings, VerifiedRecordStatement

_is_count = is_whole(0)
_is_points = is_whole(0, 1000)
_is_currency = is_text(40)
_is_amount = has_shape(
    {
        "currency": lambda value: value != "" and _is_currency(value),
        "amount": matches(r"(?:0|[1-9][0-9]{0,59})(?:\.[0-9]{0,35}[1-9])?"),
    }
)
_is_name = is_text(100)


def _is_volume(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= 64 and all(map(_is_amount, value))


_is_spread = has_shape({"median": or_none(_is_count), "p90": or_none(_is_count)})
_is_tally = has_shape(
    {
        "orders": _is_count,
        "volume": _is_volume,
        "counterparties": _is_count,
        "repeat_counterparties": _is_count,
        "delivered_on_time": _is_count,
        "delivered_late": _is_count,
        "not_delivered": _is_count,
        "seconds_promised": _is_spread,
        "seconds_taken": _is_spread,
        "refunds": _is_count,
        "declined": _is_count,
        "disputes": has_shape(dict.fromkeys(("provider", "buyer", "split", "lapsed"), _is_count)),
        "apart": has_shape({"orders": _is_count, "volume": _is_volume}),
    }
)


def _are_wallets(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= 100 and all(map(is_address, value))


_RECORDS: dict[int, dict[str, Check]] = {
    1: {
        "$schema": is_url,
        "id": is_url,
        "type": is_exactly("AgentRecordStatement"),
        "version": is_exactly(1),
        "issuer": is_issuer,
        "issued_at": is_time,
        "valid_until": is_time,
        "agent": has_shape(
            {
                "id": matches(r"agt_[0-9a-z]{1,64}"),
                "slug": matches(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"),
                "name": lambda value: value != "" and _is_name(value),
                "wallets": _are_wallets,
            }
        ),
        "as_of": is_time,
        "score": has_shape(
            {
                "formula": matches(r"earnest-score-[1-9][0-9]{0,8}"),
                "value": _is_points,
                "upper": _is_points,
                "share": or_none(_is_points),
                "evidence": _is_count,
            }
        ),
        "ever": _is_tally,
        "days_90": _is_tally,
        "days_30": _is_tally,
        "outcomes_root": is_hash,
    }
}


def check_record(statement: Any, settings: Settings, agent: str | None) -> Flow[VerifiedRecordStatement]:
    read = yield from read_signed(statement, "AgentRecordStatement", _RECORDS, settings, Memo())
    said = read.statement
    # A thief chooses the time in a statement, and the chain does not confirm statements.
    assert_uncompromised(read.key)
    if settings.time > time_of(said["valid_until"]):
        raise Rejection("statement_expired", f"It was valid until {said['valid_until']}.")
    about = said["agent"]
    if agent is not None and agent not in (about["id"], about["slug"]):
        raise Rejection("unexpected_value", f"agent is {about['slug']} ({about['id']}), expected {agent}.")
    return VerifiedRecordStatement(
        issuer=read.key_set.issuer.name, key_id=read.key.id, statement={**said, "proof": read.proof}
    )
