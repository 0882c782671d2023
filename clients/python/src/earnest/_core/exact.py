from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Literal, Mapping, Union, cast

from typing_extensions import TypeAlias

_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,59})(?:\.([0-9]{1,60}))?")
_UINT256 = re.compile(r"0|[1-9][0-9]{0,77}")

_REMEDIES = {
    "amount": 'use a Decimal, or an exact decimal as text, for example "12.50", or from_base_units().',
    "uint256": "use a whole number, as an int or as text.",
}


Exact: TypeAlias = Mapping[str, Union[Literal["amount", "uint256"], "Exact"]]
"""The kind of each exact field by name, or the exact fields of a nested object."""


def write_exact(fields: Exact, values: Mapping[str, Any]) -> dict[str, Any]:
    """Writes money and uint256 fields as exact text.

    Raises:
        TypeError: for a float, which may already be rounded; for an int as a decimal amount, which may be base units; and for
            a text that is not a plain decimal
    """
    written = dict(values)
    for name, kind in fields.items():
        value = written.get(name)
        if not isinstance(kind, str):
            if isinstance(value, list):
                written[name] = [_write_within(kind, one) for one in cast("list[object]", value)]
            elif name in written:
                written[name] = _write_within(kind, value)
            continue
        if value is None or not isinstance(value, (str, int, float, Decimal)):
            continue
        text = _text_of(kind, value)
        if text is None:
            raise TypeError(f"{name} is {_describe(value)}: {_REMEDIES[kind]}")
        written[name] = text
    return written


def _write_within(fields: Exact, value: object) -> object:
    return write_exact(fields, cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else value


def _text_of(kind: Literal["amount", "uint256"], value: object) -> str | None:
    if kind == "uint256":
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        return value if isinstance(value, str) and _UINT256.fullmatch(value) else None
    if isinstance(value, Decimal) and value.is_finite():
        # The text never has an exponent, and a zero has no sign.
        value = format(abs(value) if value == 0 else value, "f")
    return value if isinstance(value, str) and _AMOUNT.fullmatch(value) else None


def _describe(value: object) -> str:
    return repr(value) if isinstance(value, (str, Decimal)) else f"a {type(value).__name__}"


def parse_amount(text: str, decimals: int) -> int | None:
    """Returns the base units of an exact decimal; None if the text is none, or has more decimals than the token."""
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return None
    fraction = (match[2] or "").rstrip("0")
    return None if len(fraction) > decimals else int(match[1] + fraction.ljust(decimals, "0"))


def to_base_units(amount: str | Decimal, decimals: int) -> int:
    """Converts an exact decimal amount, such as `"12.50"`, to base units.

    Raises:
        TypeError: unless it is a Decimal or a plain decimal text with at most the token's decimals
    """
    text = _text_of("amount", amount)
    units = None if text is None else parse_amount(text, decimals)
    if units is None:
        raise TypeError(
            f"{_describe(amount)} is not an amount with at most {decimals} decimals: {_REMEDIES['amount']}"
        )
    return units


def from_base_units(units: int, decimals: int) -> str:
    """Converts base units to an exact decimal with all of the token's decimals, such as `"12.500000"`.

    Raises:
        TypeError: unless it is an int that is not negative
    """
    if not isinstance(units, int) or isinstance(units, bool) or units < 0:
        raise TypeError("Base units have to be an int that is not negative.")
    digits = str(units).rjust(decimals + 1, "0")
    return digits if decimals == 0 else f"{digits[:-decimals]}.{digits[-decimals:]}"
