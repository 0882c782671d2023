"""The log of an issuer's keys, which shows every change of a key."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Mapping, Sequence

from .._core.flow import Flow, NoAnswer
from ..settlement.digest import canonical_json
from .errors import Rejection
from .issuer import KEY_LOG, expected_issuer
from .keyset import KeySet, fetch_key_set, fetch_text, find_service
from .reading import (
    PROOF,
    Check,
    decode_base64url,
    decode_multikey,
    encode_multikey,
    has_shape,
    is_exactly,
    is_hash,
    is_issuer,
    is_text,
    is_time,
    is_whole,
    matches,
    or_none,
    read_shape,
    time_of,
)
from .result import Settings
from .signed import VerifyingKey, assert_past, assert_proof, read_typed

_MOST_BYTES = 1_048_576
_kid = matches(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

_ENTRY = has_shape(
    {
        "seq": is_whole(1),
        "at": is_time,
        "action": is_exactly("add", "retire", "compromise"),
        "kid": lambda value: _kid(value) and not value.endswith("-mb"),
        "public_key": is_text(64),
        "not_before": is_time,
        "retired_at": or_none(is_time),
        "compromised_since": or_none(is_time),
        "previous": or_none(is_hash),
        "proof": has_shape(PROOF),
    }
)
_LOG: dict[str, Check] = {
    "type": is_exactly("KeyLog"),
    "version": is_exactly(1),
    "issuer": is_issuer,
    "entries": lambda value: isinstance(value, list) and len(value) > 0 and all(map(_ENTRY, value)),
}


@dataclass(frozen=True)
class KeyState:
    """The state of a key at the end of the log. Times are RFC 3339."""

    kid: str
    public_key: str
    not_before: str
    retired_at: str | None
    compromised_since: str | None

    def is_valid_at(self, at: datetime) -> bool:
        """Whether the key may sign at a time. A compromised key may never sign."""
        over = self.retired_at is not None and at > time_of(self.retired_at)
        return self.compromised_since is None and time_of(self.not_before) <= at and not over


@dataclass(frozen=True)
class VerifiedKeyLog:
    issuer: str
    head: str
    """The hash of the newest entry, to store as the next check's `pin`."""
    entries: int
    keys: list[KeyState]
    doubtful: list[int]
    """The `seq` of entries that a key signed after its compromise. A thief may have made them."""
    kind: Literal["key_log"] = "key_log"
    valid: Literal[True] = True


def check_key_log(log: Any, settings: Settings, pin: str | None) -> Flow[VerifiedKeyLog]:
    issuer = expected_issuer(settings.issuer)
    key_set = yield from fetch_key_set(issuer, settings.limits)
    if log is None:
        log = yield from _fetch_log(key_set, settings)
    read = read_shape(read_typed(log, "KeyLog", _MOST_BYTES), _LOG)
    if read["issuer"] != issuer.name:
        raise Rejection("foreign_issuer", f"It is {read['issuer']}.")
    entries: list[dict[str, Any]] = read["entries"]
    keys, hashes, doubtful = _follow(entries)
    for entry in entries:
        assert_past(time_of(entry["at"]), settings.time)
    if pin is not None and pin not in hashes:
        raise Rejection("key_log_rewritten", f"It is {pin}.")
    _assert_same_keys(key_set, keys)
    return VerifiedKeyLog(issuer.name, hashes[-1], len(entries), keys, doubtful)


def _fetch_log(key_set: KeySet, settings: Settings) -> Flow[str]:
    url = find_service(key_set, KEY_LOG)
    if url is None:
        raise Rejection("key_log_unavailable")
    try:
        return (yield from fetch_text(url, settings.limits, _MOST_BYTES))
    except NoAnswer as error:
        raise Rejection("key_log_unavailable", f"{url} could not be read: {error.reason}.") from error


def _hash_entry(entry: Mapping[str, Any]) -> str:
    return "0x" + hashlib.sha256(canonical_json(entry)).hexdigest()


def _follow(entries: Sequence[Mapping[str, Any]]) -> tuple[list[KeyState], list[str], list[int]]:
    """Follows a log from its first entry to its end. Returns the keys, the hash of each entry, and the doubtful entries."""
    keys: dict[str, KeyState] = {}
    hashes: list[str] = []
    signers: list[str] = []
    for entry in entries:
        place = f"entry {entry['seq']}"
        if entry["seq"] != len(hashes) + 1:
            raise Rejection("key_log_broken", f"It is numbered {entry['seq']}.")
        if entry["previous"] != (hashes[-1] if hashes else None):
            raise Rejection("key_log_broken", f"It is {place}, which names another one before it.")
        if hashes and time_of(entry["at"]) < time_of(entries[len(hashes) - 1]["at"]):
            raise Rejection("key_log_broken", f"It is {place}, which is older than the one before it.")
        state = KeyState(
            entry["kid"],
            entry["public_key"],
            entry["not_before"],
            entry["retired_at"],
            entry["compromised_since"],
        )
        _assert_change(entry, keys)
        signer = _signer_of(entry, keys, state)
        if signer is None:
            raise Rejection("key_log_foreign_signer", f"No key could sign {place}.")
        _assert_signed(entry, signer)
        keys[state.kid] = state
        hashes.append(_hash_entry(entry))
        signers.append(signer.kid)
    since = {kid: key.compromised_since for kid, key in keys.items()}
    doubtful = [
        entry["seq"]
        for entry, kid in zip(entries, signers, strict=True)
        if (start := since[kid]) is not None and time_of(entry["at"]) >= time_of(start)
    ]
    return list(keys.values()), hashes, doubtful


def _signer_of(entry: Mapping[str, Any], keys: Mapping[str, KeyState], own: KeyState) -> KeyState | None:
    """Returns the key that must sign a change: the current key before the change. The first key signs itself. If a key
    is reported as compromised, the current one of the other keys signs."""
    if not keys:
        return own
    others = [key for key in keys.values() if entry["action"] != "compromise" or key.kid != entry["kid"]]
    usable = [key for key in others if key.is_valid_at(time_of(entry["at"]))]
    # If two keys began at the same time, the last added one counts.
    return max(reversed(usable), key=lambda key: time_of(key.not_before), default=None)


def _assert_change(entry: Mapping[str, Any], keys: Mapping[str, KeyState]) -> None:
    def refuse(why: str) -> Rejection:
        return Rejection("key_log_bad_change", f"Entry {entry['seq']}: {why}.")

    at, begin = time_of(entry["at"]), time_of(entry["not_before"])
    before = keys.get(entry["kid"])
    retired, since = entry["retired_at"], entry["compromised_since"]
    if entry["action"] == "add":
        if before or any(key.public_key == entry["public_key"] for key in keys.values()):
            raise refuse("the key is not new")
        if retired is not None or since is not None or begin < at:
            raise refuse("a new key must begin when it is added or later")
        return
    if before is None:
        raise refuse(f"there is no {entry['kid']}")
    is_same = (before.public_key, before.not_before) == (entry["public_key"], entry["not_before"])
    if entry["action"] == "retire":
        if not is_same or since != before.compromised_since:
            raise refuse("the entry changes more than the retirement")
        is_over = before.retired_at is not None and time_of(before.retired_at) < at
        if is_over or retired is None or time_of(retired) < at:
            raise refuse("only a key in use can be retired, now or later")
        return
    if not is_same or retired != before.retired_at:
        raise refuse("the entry changes more than the retirement")
    known = before.compromised_since
    if since is None or time_of(since) > at or (known is not None and time_of(since) >= time_of(known)):
        raise refuse("a key must be compromised since the entry's time or earlier")


def _assert_signed(entry: Mapping[str, Any], signer: KeyState) -> None:
    # The signer is named by a did:key, so that the log alone suffices for the check.
    name = f"did:key:{signer.public_key}#{signer.public_key}"
    proof = entry["proof"]
    if proof["verificationMethod"] != name:
        raise Rejection("key_log_foreign_signer", f"Entry {entry['seq']} has to be signed by {signer.kid}.")
    key = decode_multikey(signer.public_key)
    if key is None:
        raise Rejection("key_log_bad_change", f"{signer.kid} is not an Ed25519 Multikey.")
    if proof["created"] != entry["at"]:
        raise Rejection("invalid_proof", "The proof's time differs from the entry's.")
    statement = {member: value for member, value in entry.items() if member != "proof"}
    assert_proof(statement, proof, VerifyingKey(name, key))


def _assert_same_keys(key_set: KeySet, keys: Sequence[KeyState]) -> None:
    """Raises unless the DID document's methods are exactly those of the log's keys."""
    expected: list[str] = []
    for key in keys:
        times = (key.not_before, key.retired_at, key.compromised_since)
        is_sound = key.compromised_since is None
        if is_sound:
            expected.append(_describe(key.kid, "JsonWebKey", key.public_key, times, True))
        expected.append(_describe(f"{key.kid}-mb", "Multikey", key.public_key, times, is_sound))
    published = [
        _describe(
            method["id"][len(key_set.issuer.name) + 1 :]
            if method["controller"] == key_set.issuer.name
            else method["id"],
            method["type"],
            _public_key_of(method),
            (method.get("validFrom"), method.get("validUntil"), method.get("revoked")),
            method["id"] in key_set.assertion_method,
        )
        for method in key_set.methods
    ]
    extra = next((one for one in published if one not in expected), None)
    if extra is not None:
        raise Rejection("key_log_differs", f"The log does not have {extra}.")
    missing = next((one for one in expected if one not in published), None)
    if missing is not None or len(published) != len(expected):
        raise Rejection("key_log_differs", f"The DID document does not have {missing or 'each key once'}.")


def _describe(
    fragment: str, kind: str, public_key: str, times: tuple[str | None, ...], is_for_assertions: bool
) -> str:
    start, end, revoked = (time_of(time).isoformat() if time else "-" for time in times)
    use = "for" if is_for_assertions else "not for"
    return f"#{fragment} ({kind}) {public_key}, {start} to {end}, revoked {revoked}, {use} assertions"


def _public_key_of(method: Mapping[str, Any]) -> str:
    if "publicKeyMultibase" in method:
        return str(method["publicKeyMultibase"])
    jwk = method.get("publicKeyJwk", {})
    key = decode_base64url(jwk.get("x", ""))
    return encode_multikey(key) if jwk.get("crv") == "Ed25519" and key else "of another kind"
