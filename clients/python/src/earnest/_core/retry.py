from __future__ import annotations

import random

from ..errors import ApiError, ConnectionError, NodeError

_FIRST_WAIT = 0.5
_LONGEST_BACKOFF = 8.0
_LONGEST_PAUSE = 30.0
_LONGEST_ASKED = 3600.0
"""The longest `Retry-After` between polls, in seconds, because an outage may end sooner."""


def wait_before_retry(
    failure: ApiError | ConnectionError, *, may_repeat: bool, attempt: int, max_retries: int, max_wait: float
) -> float | None:
    """Returns the seconds before the next retry; None for no retry.

    - Retries follow a connection error, 408 or 5xx if the call may be repeated. A 429 is always retried, because it had no
      effect.
    - A retry follows a 409 with `Retry-After`: the same write is still running under its key.
    - The wait is `Retry-After` with a little jitter. Without the header, it is a random part of 0.5 s, 1 s, 2 s and so on
      (full jitter).
    """
    if attempt > max_retries or not _is_retryable(failure, may_repeat):
        return None
    asked = failure.retry_after if isinstance(failure, ApiError) else None
    if asked is None:
        backoff = min(_LONGEST_BACKOFF, _FIRST_WAIT * 2.0 ** (attempt - 1))
        return min(random.random() * backoff, max_wait)
    return None if asked > max_wait else min(asked + random.random() * _FIRST_WAIT, max_wait)


def _is_retryable(failure: ApiError | ConnectionError, may_repeat: bool) -> bool:
    if isinstance(failure, ConnectionError):
        return may_repeat
    if failure.status == 429:
        return True
    if failure.status == 409:
        return may_repeat and failure.retry_after is not None
    return may_repeat and (failure.status == 408 or failure.status >= 500)


def is_temporary(error: BaseException) -> bool:
    """Whether an error is temporary: no connection, a rate limit, an outage, or a node's error that is no revert."""
    if isinstance(error, ConnectionError):
        return True
    if isinstance(error, NodeError):
        return not error.reverted
    return isinstance(error, ApiError) and (error.status in (408, 429) or error.status >= 500)


def wait_after(error: BaseException, failures: int, poll: float) -> float:
    """Returns the seconds before the next poll after consecutive failures."""
    asked = error.retry_after or 0.0 if isinstance(error, ApiError) else 0.0
    return max(
        min(asked, _LONGEST_ASKED), random.random() * min(_LONGEST_PAUSE, poll * 2.0 ** min(failures, 10))
    )
