from __future__ import annotations

import re
import time
from datetime import datetime, timezone

_LONGEST = 366 * 86_400.0
"""The most seconds that are reported."""

_DAYS = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_LONG_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = f"(?P<month>{'|'.join(_MONTHS)})"
_TIME = r"(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d):(?P<second>[0-5]\d)"
_DATE_FORMS = [
    re.compile(form, re.ASCII)
    for form in (
        rf"(?:{_DAYS}), (?P<day>\d\d) {_MONTH} (?P<year>[1-9]\d{{3}}) {_TIME} GMT",
        rf"(?:{_LONG_DAYS}), (?P<day>\d\d)-{_MONTH}-(?P<year>\d\d) {_TIME} GMT",
        rf"(?:{_DAYS}) {_MONTH} (?P<day>[ \d]\d) {_TIME} (?P<year>[1-9]\d{{3}})",
    )
]
"""The three date forms of RFC 9110, section 5.6.7. The last has no time zone and means UTC."""


def read_retry_after(header: str | None, now: float | None = None) -> float | None:
    """Reads the seconds of the header `Retry-After`, which has a number or a date.

    None if the header is missing or invalid. The readers of `email.utils` accept more forms.
    """
    if header is None:
        return None
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", header):
        return min(_LONGEST, float(header))
    now = time.time() if now is None else now
    date = _read_http_date(header, now)
    return None if date is None else min(_LONGEST, max(0.0, date - now))


def _read_http_date(text: str, now: float) -> float | None:
    """Parses an HTTP date to Unix seconds; None for any other text or a day that does not exist."""
    for form in _DATE_FORMS:
        match = form.fullmatch(text)
        if match is not None:
            break
    else:
        return None
    year = _full_year(match["year"], datetime.fromtimestamp(now, timezone.utc).year)
    month = _MONTHS.index(match["month"]) + 1
    day, hour, minute, second = (int(match[name]) for name in ("day", "hour", "minute", "second"))
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc).timestamp()
    except ValueError:
        return None


def _full_year(digits: str, this_year: int) -> int:
    """Reads two digits as a year of this century, or of the last if that is more than 50 years ahead."""
    if len(digits) == 4:
        return int(digits)
    year = this_year - this_year % 100 + int(digits)
    return year - 100 if year > this_year + 50 else year
