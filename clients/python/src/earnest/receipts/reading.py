"""Reads texts and values exactly, and refuses those that two readers could understand differently."""

from __future__ import annotations

import base64
import json
import re
from datetime import datetime
from typing import Any, Callable, Mapping, NoReturn

from typing_extensions import TypeAlias

from .._core.times import read_time
from ..settlement.digest import is_checksummed
from .errors import Rejection
from .issuer import is_url, locate_issuer

_PLAIN_NUMBER = re.compile(r"0|-?[1-9][0-9]*")
_SAFE = 2**53
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

Check: TypeAlias = Callable[[Any], bool]


def parse_json(text: str) -> Any:
    """Parses JSON. Refuses an object with a duplicate member, and numbers other than plain, safe integers (some parsers read
    `4.2e1` and `42.00000000000000000001` as 42)."""
    faults: list[Rejection] = []

    def number(digits: str) -> int:
        if not _PLAIN_NUMBER.fullmatch(digits) or len(digits) > 17 or abs(int(digits)) >= _SAFE:
            faults.append(Rejection("invalid_number", f"It is {digits[:40]}."))
            return 0
        return int(digits)

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            faults.append(Rejection("duplicate_member", f"It is {json.dumps(twice)}."))
        return found

    def constant(_: str) -> NoReturn:
        raise ValueError

    try:
        value = json.loads(
            text, parse_int=number, parse_float=number, parse_constant=constant, object_pairs_hook=members
        )
    except (ValueError, RecursionError):
        raise Rejection("malformed", "The text is not JSON.") from None
    if faults:
        raise faults[0]
    return value


def read_shape(value: Any, fields: Mapping[str, Check], code: str = "invalid_shape") -> dict[str, Any]:
    """Reads an object with exactly these members, each in its form."""
    if not isinstance(value, dict):
        raise Rejection(code, "It is not an object.")
    wrong = [f"{name}: is missing" for name in fields if name not in value]
    wrong += [f"{name}: is not allowed" for name in value if name not in fields]
    wrong += [
        f"{name}: is not in its exact form"
        for name, is_good in fields.items()
        if name in value and not is_good(value[name])
    ]
    if wrong:
        raise Rejection(code, "; ".join(wrong))
    return value


def has_shape(fields: Mapping[str, Check]) -> Check:
    def check(value: Any) -> bool:
        try:
            read_shape(value, fields)
        except Rejection:
            return False
        return True

    return check


def is_exactly(*values: Any) -> Check:
    return lambda value: any(type(value) is type(one) and value == one for one in values)


def matches(pattern: str) -> Check:
    compiled = re.compile(pattern, re.ASCII)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


def is_text(longest: int) -> Check:
    return lambda value: isinstance(value, str) and len(value) <= longest


def is_whole(least: int, most: int = _SAFE - 1) -> Check:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def is_time(value: Any) -> bool:
    return isinstance(value, str) and read_time(value) is not None


def is_issuer(value: Any) -> bool:
    return isinstance(value, str) and locate_issuer(value) is not None


def is_amount(value: Any) -> bool:
    return matches(r"0|[1-9][0-9]{0,38}")(value) and int(value) < 2**128


is_address: Check = is_checksummed
is_hash = matches(r"0x[0-9a-f]{64}")
is_chain = matches(r"eip155:[1-9][0-9]{0,15}")
is_unix_seconds = is_whole(1, 253_402_300_799)

PROOF: dict[str, Check] = {
    "type": is_exactly("DataIntegrityProof"),
    "cryptosuite": is_exactly("eddsa-jcs-2022"),
    "created": is_time,
    "verificationMethod": is_text(640),
    "proofPurpose": is_exactly("assertionMethod"),
    "proofValue": is_text(128),
}

_COMMON: dict[str, Check] = {
    "id": is_url,
    "type": is_exactly("SettlementDocument"),
    "issuer": is_issuer,
    "issued_at": is_time,
    "order_id": matches(r"ord_[0-9a-z]{1,64}"),
    "agreement_hash": is_hash,
    "claim": is_exactly("funded", "released", "refunded"),
    "chain": is_chain,
    "contract": is_address,
    "escrow_id": is_hash,
    "transaction": is_hash,
    "block_number": is_whole(0),
    "block_hash": is_hash,
    "log_index": is_whole(0),
    "buyer": is_address,
    "provider": is_address,
    "token": is_address,
    "amount": is_amount,
    "output_hash": or_none(is_hash),
}
_TERMS: dict[str, Check] = {
    "amount": is_amount,
    "fund_by": is_whole(0, 2**48 - 1),
    "delivery_window": is_whole(0, 2**32 - 1),
    "acceptance_window": is_whole(0, 2**32 - 1),
    "dispute_window": is_whole(0, 2**32 - 1),
    "appeal_window": is_whole(0, 2**32 - 1),
    "arbiter": is_address,
}
# Documents of version 1 stay valid.
DOCUMENTS: dict[int, dict[str, Check]] = {
    1: {**_COMMON, "version": is_exactly(1)},
    2: {
        "$schema": is_url,
        **_COMMON,
        "claim": is_exactly("funded", "part_released", "released", "refunded"),
        "version": is_exactly(2),
        "released_so_far": or_none(is_amount),
        "terms": has_shape(_TERMS),
    },
}

X402_RECEIPT: dict[str, Check] = {
    "version": is_exactly(1),
    "network": is_chain,
    "resourceUrl": is_url,
    "payer": is_address,
    "issuedAt": is_unix_seconds,
    "transaction": is_hash,
}
X402_OFFER: dict[str, Check] = {
    "version": is_exactly(1),
    "resourceUrl": is_url,
    "scheme": matches(r"[a-z0-9-]{1,32}"),
    "network": is_chain,
    "asset": is_address,
    "payTo": is_address,
    "amount": is_amount,
    "validUntil": is_unix_seconds,
}


def time_of(text: str) -> datetime:
    """Reads a time whose form is already checked."""
    time = read_time(text)
    if time is None:
        raise Rejection("invalid_shape", f"{text!r} is not a time.")
    return time


def decode_base58(text: str) -> bytes | None:
    """Decodes base58 in Bitcoin's alphabet; None for any other text."""
    number = 0
    for letter in text:
        digit = _BASE58.find(letter)
        if digit < 0:
            return None
        number = number * 58 + digit
    zeros = len(text) - len(text.lstrip("1"))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


def decode_base64url(text: str) -> bytes | None:
    """Decodes base64url without padding in its only spelling; None for any other text."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if base64.urlsafe_b64encode(data).rstrip(b"=").decode() == text else None


def decode_multikey(text: str) -> bytes | None:
    """Decodes the 32 bytes of an Ed25519 Multikey; None for any other text."""
    data = decode_base58(text[1:]) if text.startswith("z") and len(text) <= 64 else None
    return data[2:] if data is not None and len(data) == 34 and data[:2] == b"\xed\x01" else None


def encode_multikey(key: bytes) -> str:
    """Encodes an Ed25519 public key as a Multikey."""
    number, letters = int.from_bytes(b"\xed\x01" + key, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        letters = _BASE58[digit] + letters
    return f"z{letters}"
