"""The reasons for which a part of a log is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LOG_ERRORS: dict[str, str] = {
    "malformed": "The input is not in the form of its standard.",
    "too_large": "The input is larger than any of its kind.",
    "malformed_key": "The text is no verifier key of a signed note, or its id is not that of its name and key.",
    "unsupported_key": "The verifier key is of a kind that is not checked here.",
    "malformed_entry": "The entry is not one of the forms that this log has.",
    "size_too_large": "A size or an index is beyond 2^53 - 1.",
    "no_trusted_log": "No verifier key of a log was given.",
    "unknown_log": "No trusted log signed the checkpoint.",
    "foreign_origin": "The checkpoint names another log than the key that signed it.",
    "invalid_signature": "A signature of a trusted key does not match.",
    "not_included": "The proof does not lead from the entry to the checkpoint's root.",
    "log_unavailable": "The issuer's log could not be asked.",
    "not_logged": "The issuer's log does not have the receipt, or does not have it yet.",
    "no_receipt_id": "Nothing that was given names the receipt's id, which it is looked up by.",
    "other_entry": "The entry is about something else than what was handed in.",
}
"""Each code with its meaning. The codes are stable: programs may branch on them."""


@dataclass(frozen=True)
class LogFailure:
    """The refused result. Every verifying function returns it instead of raising."""

    code: str
    message: str
    """The fault and its place, for people."""
    outcome: Literal["contradicted", "absent", "unknown"] = "contradicted"
    """The meaning for a lookup: the log contradicts itself, lacks the receipt, or is unavailable."""
    valid: Literal[False] = False


class LogRejection(Exception):
    """Carries a code from the failed check to the verifying function."""

    def __init__(self, code: str, detail: str = "") -> None:
        meaning = LOG_ERRORS[code]
        super().__init__(f"{meaning} {detail}" if detail else meaning)
        self.code = code

    def to_failure(self) -> LogFailure:
        return LogFailure(self.code, str(self), _OUTCOMES.get(self.code, "contradicted"))


_OUTCOMES: dict[str, Literal["absent", "unknown"]] = {
    "not_logged": "absent",
    "log_unavailable": "unknown",
    "no_receipt_id": "unknown",
    "malformed_key": "unknown",
    "no_trusted_log": "unknown",
    "unsupported_key": "unknown",
}
