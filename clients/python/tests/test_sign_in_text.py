from typing import Any

import pytest
from vectors import read_vectors

from earnest import LocalWallet, UntrustedTextError
from earnest._core.request import ClientOptions
from earnest._core.times import read_time
from earnest._core.transport import Core
from earnest.sign_in import ExpectedText, check_sign_in_text

vectors = read_vectors("clients/scenarios/protocol-vectors.json")
wallet = LocalWallet(vectors["wallet"]["private_key"])


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in vectors["sign_in"]])
def test_sign_in_text(case: dict[str, Any]) -> None:
    given = case["expected"]
    expected = ExpectedText(
        host=Core(given["base_url"], token=None, options=ClientOptions()).host,
        address=given["address"],
        chain_id=given["chain_id"],
        nonce=given["nonce"],
        account_id=given.get("account_id"),
        user_code=given.get("user_code"),
        now=read_time(given["now"]),
    )
    if case["refused"] is None:
        check_sign_in_text(case["message"], expected)
        assert wallet.sign_text(case["message"]) == case["signature"]
    else:
        with pytest.raises(UntrustedTextError, match=r"not signed|Nothing was signed"):
            check_sign_in_text(case["message"], expected)


def test_times_are_those_of_rfc_3339() -> None:
    for text in ("2026-11-20T12:00:00Z", "2026-11-20T13:00:00.000000000+01:00", "2026-11-20T12:00:00.0Z"):
        time = read_time(text)
        assert time is not None
        assert time.isoformat() == "2026-11-20T12:00:00+00:00"
    for text in (
        "",
        "2026-11-20",
        "2026-11-20 12:00:00Z",
        "2026-11-20T12:00:00",
        "2026-13-20T12:00:00Z",
        "٢026-11-20T12:00:00Z",
    ):
        assert read_time(text) is None
