from __future__ import annotations

import re
from datetime import datetime, timezone

_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)", re.ASCII)


def read_time(text: str) -> datetime | None:
    """Reads an RFC 3339 time; None for any other text. Python 3.10's parser refuses Z, and fractions other than 3 or 6
    digits."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    # The service reads times to the millisecond too.
    micros = (match[7] or "").ljust(3, "0")[:3] + "000"
    offset = "+00:00" if match[8] == "Z" else match[8]
    try:
        time = datetime.fromisoformat(f"{text[:16]}:{match[6] or '00'}.{micros}{offset}")
        return time.astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None
