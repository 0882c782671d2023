from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Literal, Mapping, Union, cast

from typing_extensions import TypeAlias

_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,59})(?:\.([0-9]{1,60}))?")
_UINT256 = re.compile(r"0|[1-9][0-9]{0,77}")

_REMEDIES = {
    "amount": 'an amount is a Decimal, or an exact decimal in text, as in "12.50". from_base_units() writes one.',
    "uint256": "use a whole number, as an int or as text.",
}


Exact: TypeAlias = Mapping[str, Union[Literal["amount", "uint256"], "Exact"]]
"""By name: what a field holds, or which fields of the object in it hold such."""


def write_exact(fields: Exact, values: Mapping[str, Any]) -> dict[str, Any]:
    """Writes the fields that hold money, or whole numbers of contracts, as the exact text that the service takes.

    Raises:
        TypeError: for a float, which may have been rounded before it came here; for an int where a decimal amount is
            meant, since it may be base units; and for a text that is no plain decimal
    """
    written = dict(values)
    for name, kind in fields.items():
        value = written.get(name)
        if not isinstance(kind, str):
            if isinstance(value, Mapping):
                written[name] = write_exact(kind, cast("Mapping[str, Any]", value))
            continue
        if value is None or not isinstance(value, (str, int, float, Decimal)):
            continue
        text = _text_of(kind, value)
        if text is None:
            raise TypeError(f"{name} is {_describe(value)}: {_REMEDIES[kind]}")
        written[name] = text
    return written


def _text_of(kind: Literal["amount", "uint256"], value: object) -> str | None:
    if kind == "uint256":
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        return value if isinstance(value, str) and _UINT256.fullmatch(value) else None
    if isinstance(value, Decimal) and value.is_finite():
        # Never with an exponent; a zero has no sign.
        value = format(abs(value) if value == 0 else value, "f")
    return value if isinstance(value, str) and _AMOUNT.fullmatch(value) else None


def _describe(value: object) -> str:
    return repr(value) if isinstance(value, (str, Decimal)) else f"a {type(value).__name__}"


def parse_amount(text: str, decimals: int) -> int | None:
    """The base units of an exact decimal; None where the text is none, or finer than the token."""
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return None
    fraction = (match[2] or "").rstrip("0")
    return None if len(fraction) > decimals else int(match[1] + fraction.ljust(decimals, "0"))


def to_base_units(amount: str | Decimal, decimals: int) -> int:
    """Reads an exact decimal amount, as in `"12.50"`, into the token's smallest unit.

    Raises:
        TypeError: for anything but a Decimal or a plain decimal in text that is no finer than the token
    """
    text = _text_of("amount", amount)
    units = None if text is None else parse_amount(text, decimals)
    if units is None:
        raise TypeError(
            f"{_describe(amount)} is not an amount with at most {decimals} decimals: {_REMEDIES['amount']}"
        )
    return units


def from_base_units(units: int, decimals: int) -> str:
    """Writes base units as an exact decimal with all of the token's decimals, as in `"12.500000"`.

    Raises:
        TypeError: for anything but an int that is not negative
    """
    if not isinstance(units, int) or isinstance(units, bool) or units < 0:
        raise TypeError("Base units are an int, not negative.")
    digits = str(units).rjust(decimals + 1, "0")
    return digits if decimals == 0 else f"{digits[:-decimals]}.{digits[-decimals:]}"
