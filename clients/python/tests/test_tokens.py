"""The tokens that a buyer holds, and a price in an order's token. The scenarios buy with them."""

from __future__ import annotations

from typing import Any, cast

import pytest

from earnest import HeldToken, PaymentToken, UntrustedOrderError
from earnest.buying.tokens import choose_token, price_in, read_held
from earnest.settlement import DerivedDeposit

DAI = "0x77FF69D2C9b74391b07F8581EBAaFf7F1598C2C9"
CENTS = "0xdB4984A259477be6115237890ea5F904580E6445"
USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"


class Place:
    """The part of an escrow that a price depends on."""

    def __init__(self, chain_id: int, token: str) -> None:
        self.chain_id, self.terms, self.token = chain_id, self, token


def service(token: str, **changes: Any) -> Any:
    accepted = {
        "chain_id": 8453,
        "token": token,
        "decimals": 18,
        "price": "2.5",
        **changes.pop("accepted", {}),
    }
    return {"price": "2.50", "price_currency": "USD", "accepts": [accepted], **changes}


def price(seen: Any, token: str, decimals: int, quoted: str | None = None) -> int:
    place = cast(DerivedDeposit, Place(8453, token))
    return price_in("ord_1", place, seen, PaymentToken(token, decimals), quoted)


def test_one_maximum_limits_one_token() -> None:
    dai, cents = HeldToken(1, DAI), HeldToken(1, CENTS, max_amount="2")
    assert read_held(None, "3") is None
    assert read_held(cents, None) == [cents]
    with pytest.raises(TypeError, match="max_amount of its own"):
        read_held([dai, cents], "3")
    with pytest.raises(TypeError, match="is empty"):
        read_held([], "3")
    for held in (None, dai):
        with pytest.raises(TypeError, match="Pass max_amount"):
            read_held(held, None)


def test_the_first_held_token_that_the_service_accepts_is_chosen() -> None:
    held = [HeldToken(1, DAI), HeldToken(8453, CENTS), HeldToken(8453, DAI.lower())]
    assert choose_token(service(DAI), held) == {"chain_id": 8453, "token": DAI}
    with pytest.raises(UntrustedOrderError, match=r"service\.accepts"):
        choose_token(service(CENTS), [held[0], held[2]])


def test_a_price_is_exact_in_the_token() -> None:
    assert price(service(DAI), DAI, 18) == 25 * 10**17
    assert price(service(DAI), DAI, 18, "1.25") == 125 * 10**16
    assert price(service(CENTS, accepted={"decimals": 2}), CENTS, 2) == 250


@pytest.mark.parametrize(
    ("seen", "token", "decimals", "field"),
    [
        (service(CENTS), DAI, 18, "agreement.token"),
        (service(DAI, accepted={"chain_id": 1}), DAI, 18, "agreement.token"),
        (service(DAI), DAI, 6, "service.accepts.decimals"),
        (service(DAI, accepted={"price": "2.49"}), DAI, 18, "service.accepts.price"),
        (service(CENTS, price="2.501", accepted={"decimals": 2}), CENTS, 2, "service.price"),
        (service(USDC, price_currency="EUR", accepted={"decimals": 6}), USDC, 6, "service.price_currency"),
    ],
)
def test_a_service_that_lies_about_a_token_is_refused(
    seen: Any, token: str, decimals: int, field: str
) -> None:
    with pytest.raises(UntrustedOrderError) as refused:
        price(seen, token, decimals)
    assert refused.value.field == field
